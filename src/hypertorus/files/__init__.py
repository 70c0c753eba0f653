"""How anything reaches disk and comes back whole, and the small things that every room shares."""
