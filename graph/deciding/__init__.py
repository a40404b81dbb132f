"""A decision's life until it is recorded, and what is made of it afterwards."""
