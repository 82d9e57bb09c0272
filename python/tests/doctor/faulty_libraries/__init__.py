"""Libraries with one fault each, as ``--with`` takes them."""
