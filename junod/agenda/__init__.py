"""What memories mean for the days to come: entries of an agenda and repeats, read from their wording."""
