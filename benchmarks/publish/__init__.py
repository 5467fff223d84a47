"""Make the tables and plots of the documentation from the stored JSON results."""
