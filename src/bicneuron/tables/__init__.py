"""Tables of people's own data: many formats in, matrices with names out."""
