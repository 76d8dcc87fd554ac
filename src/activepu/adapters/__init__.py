"""To and from other libraries. Each module needs the library that it is named after; none is needed otherwise."""
