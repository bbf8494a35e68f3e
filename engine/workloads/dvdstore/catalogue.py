"""What products and order lines are made of, and which products are asked for most.

Used by the row generator (``products.py``) and the emulated user (``picks.py``), so nothing here needs numpy.
"""

from engine.workloads.dvdstore.sizing import DbSize

CATEGORY_NAMES = (
    "Action", "Animation", "Children", "Classics", "Comedy", "Documentary", "Drama", "Family",
    "Foreign", "Games", "Horror", "Music", "New", "Sci-Fi", "Sports", "Travel",
)  # fmt: skip
LOWEST_PRICE_CENTS = 9_99
PRICE_STEP_CENTS = 1_00
PRICES = 21
LARGEST_STOCK = 500
MOST_QUANTITY = 3
TAX_PER_10_000 = 825
POPULAR_EVERY = 10_000
POPULAR_FACTOR = 10
_MOST_PRODUCTS_OF_A_SMALL_STORE = 100_000


def specials_every(products: int) -> int:
    """Of how many products one is a special: 100 in a store of at most 100,000 products, else 10,000."""
    return 100 if products <= _MOST_PRODUCTS_OF_A_SMALL_STORE else 10_000


def tickets(size: DbSize) -> int:
    """The tickets of the draw for a cart's product: ten for every popular (10,000th) product, one for any other."""
    return size.products + (POPULAR_FACTOR - 1) * (size.products // POPULAR_EVERY)


def product_of_ticket(ticket: int, size: DbSize) -> int:
    """The product that a ticket from 0 to ``tickets(size) - 1`` stands for.

    The first tickets stand for the products in turn; those that are left are the popular products' further ones.
    """
    beyond = ticket - size.products
    return ticket + 1 if beyond < 0 else (beyond // (POPULAR_FACTOR - 1) + 1) * POPULAR_EVERY
