"""What a customer's row is made of: the values that initial and newly registered customers share.

Used by the row generator (``customers.py``) and the emulated user (``picks.py``), so that a registered customer looks
like an initial one. The compiled script (``_customer.c``) reads most of the names. Nothing here needs numpy.
"""

US = 1
REST_OF_THE_WORLD = 2
US_COUNTRY = "US"
COUNTRIES = (
    "Australia", "Canada", "Chile", "China", "France", "Germany", "Japan", "Russia", "South Africa", "UK",
)  # fmt: skip
STATES = (
    "AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN", "KS",
    "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV",
    "NY", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY",
)  # fmt: skip
STREETS = (
    "Acorn Lane", "Bridge Street", "Canal Road", "Church Street", "Garden Avenue", "Harbor Drive", "High Street",
    "Lake Road", "Market Square", "Meadow Lane", "Mill Road", "Orchard Way", "Park Avenue", "River Drive",
    "Station Road", "Valley View",
)  # fmt: skip
LEAST_HOUSE_NUMBER = 1_000
HOUSE_NUMBERS = 9_000
LEAST_ZIP = 10_000
ZIPS = 90_000
EMAIL_DOMAIN = "@example.com"
CREDIT_CARD_TYPES = 5
EXPIRATIONS = tuple(f"{year}/{month:02}" for year in range(2026, 2031) for month in range(1, 13))
USERNAME_PREFIX = "user"
NEW_USERNAME_PREFIX = "newuser"
LARGEST_NEW_USERNAME = 2**31 - 1  # so many that a long run doesn't run out of them
PASSWORD = "password"  # noqa: S105 - every customer's, by the workload's definition
LEAST_AGE = 18
AGES = 73
INCOME_STEP = 20_000
INCOMES = 5
GENDERS = ("M", "F")

FIRSTNAME_LETTERS = 6
LASTNAME_LETTERS = 10
CITY_LETTERS = 7
PHONE_DIGITS = 10
CREDIT_CARD_DIGITS = 16
