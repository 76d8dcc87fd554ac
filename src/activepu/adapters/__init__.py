"""To and from other libraries.

`activepu.adapters.skactiveml` and `activepu.adapters.pulearn` need the library that they are named after; nothing else
in activepu needs either. `pip install "activepu[bench]"` brings both.
"""
