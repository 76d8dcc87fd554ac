"""Bets against hypotheses: the evidence from which Z-CAL's confidence sets are made."""
