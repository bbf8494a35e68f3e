"""Spindle's own words for the names in a Brokerage store: people, companies, industries, exchanges, places, news."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST_NAMES = _words(
    """
    Ada Adele Agnes Alan Albert Alice Amos Anita Anton Ariel Arthur Astrid Basil Beatrix Bella Benno Bruno
    Camilla Carl Celia Cesar Clara Cyril Daphne Dario Delia Edgar Edith Elena Elias Elsa Emil Enzo Erika
    Esther Felix Fiona Flora Frank Freya Georg Gilda Greta Gustav Hanna Harald Hedda Henri Hugo Ida Igor Ines
    Irma Isaac Ivo Jana Jasper Joel Jonas Judith Julius Karin Kaspar Klara Lars Laura Leo Lena Linus Lotte
    Lucas Lydia Magda Marco Marta Matteo Milan Mira Nadia Nils Nora Olga Oscar Otto Paula Pavel Petra Quentin
    Rahel Ramon Rita Robin Rosa Ruben Sara Selma Simon Sofia Sven Tamara Tessa Theo Tilda Ulla Ursula Valentin
    Vera Viktor Wanda Xenia Yara Yorick Zeno Zora
    """
)
LAST_NAMES = _words(
    """
    Abel Acker Adler Albers Amsel Anders Arndt Bach Barlow Bauer Becker Berger Birk Blume Bohm Brandt Brook
    Busch Calder Carver Conrad Cramer Dahl Decker Dorn Dreher Ebert Eckert Elm Engel Ernst Faber Falk Fenner
    Fink Fischer Forster Frey Fuchs Gabler Garner Geiger Glaser Graf Gross Haas Hagen Hale Hansen Hart Heller
    Henning Hill Hirsch Hofer Holm Horn Huber Ibsen Jacobs Jansen Joss Kahn Kaiser Kaufman Keller Kern Kirsch
    Klein Knox Kramer Kraus Kuhn Lang Larsen Lehner Lindner Lorenz Ludwig Maier Mann Marsh Martens Meadow
    Mertens Moser Nagel Nash Neumann Nolan Novak Olsen Orth Otten Palmer Peters Pfaff Pohl Quist Rader Raven
    Reed Richter Ritter Rosen Roth Sander Sauer Schell Schmid Seidel Shaw Sommer Stein Stern Storm Tanner
    Thiel Thorn Tiller Uhl Ulrich Vance Vogel Voss Wagner Walter Weber Weiss Wells Winkler Wirth Wolf Yates
    Zander Zeller Ziegler
    """
)
COMPANY_FIRST_WORDS = _words(
    """
    Amber Arctic Atlas Aurora Azure Beacon Birch Cedar Cobalt Comet Copper Coral Crystal Delta Eagle Ember
    Falcon Fern Garnet Glacier Golden Granite Harbor Hazel Heron Horizon Indigo Iron Ivory Jade Juniper
    Keystone Lake Laurel Linden Lunar Maple Marble Meridian Mistral Nimbus North Oak Onyx Opal Orchid Osprey
    Pearl Pine Polar Prairie Quartz River Saffron Silver Sierra Solar Summit Topaz Tundra Velvet Vesper Willow
    Zenith
    """
)
COMPANY_SECOND_WORDS = _words(
    """
    Aviation Banking Biotech Brewing Builders Cable Castings Chemicals Circuits Clothing Controls Dairy Data
    Devices Diagnostics Dynamics Energy Engines Farms Fibers Foods Forestry Foundry Freight Furniture Gas
    Glass Grain Hotels Imaging Instruments Insurance Labs Leasing Lighting Logistics Machines Marine Media
    Metals Mills Mining Motors Networks Optics Outfitters Packaging Paper Pharma Plastics Power Press Rail
    Retail Robotics Semiconductors Shipping Software Steel Systems Telecom Textiles Tools Water
    """
)
COMPANY_ENDINGS = ("Corporation", "Holdings", "Group", "Limited", "Partners", "Industries", "International", "Company")
SECTORS = (
    "Basic Materials",
    "Capital Goods",
    "Conglomerates",
    "Consumer Goods",
    "Consumer Services",
    "Energy",
    "Financials",
    "Health Care",
    "Industrials",
    "Technology",
    "Transportation",
    "Utilities",
)
INDUSTRY_FIRST_WORDS = ("General", "Special", "Regional", "Global", "Advanced", "Small-Scale", "Contract", "Integrated")
INDUSTRY_LAST_WORDS = ("Producers", "Suppliers", "Services")
EXCHANGES = (
    ("EAST", "Eastern Stock Exchange", "Shares of established companies of the east"),
    ("WEST", "Western Stock Exchange", "Shares of established companies of the west"),
    ("TECH", "Technology Exchange", "Shares of companies that make technology"),
    ("OPEN", "Open Market Exchange", "Shares of young companies"),
)
STATUSES = (
    ("ACTV", "Active"),
    ("CMPT", "Completed"),
    ("CNCL", "Canceled"),
    ("PNDG", "Pending"),
    ("SBMT", "Submitted"),
)
TRADE_TYPES = (
    ("TMB", "Market-Buy", False, True),
    ("TMS", "Market-Sell", True, True),
    ("TSL", "Stop-Loss", True, False),
    ("TLS", "Limit-Sell", True, False),
    ("TLB", "Limit-Buy", False, False),
)
"""Id, name, whether it sells, and whether it is executed at the market's price at once."""
TOWN_BEGINNINGS = _words(
    """
    Alder Ash Bay Bell Black Bright Brook Castle Clear Cold Deer East Elm Fair Fox Glen Green Grey High Kings
    Lake Long Maple Mill New North Oak Old Red Rock Sand Silver South Spring Stone Sun West White Wood
    """
)
TOWN_ENDINGS = _words(
    """
    bank bridge bury dale field ford gate grove ham haven hill mont port shore side stead ton view ville worth
    """
)
DIVISIONS = (
    "Northern Highlands",
    "Northern Plains",
    "Eastern Coast",
    "Eastern Valleys",
    "Southern Coast",
    "Southern Hills",
    "Western Coast",
    "Western Plains",
    "Central Lakes",
    "Central Uplands",
)
STREETS = _words(
    """
    Park Church Mill Station Market Garden River Bridge School Forest Harbor Meadow Orchard Quarry Tower Union
    """
)
STREET_KINDS = _words(
    """
    Street Road Lane Avenue Way Square
    """
)
COUNTRIES = ("Northland", "Southland")
NEWS_WORDS = _words(
    """
    the of to and in for on with its from at by said quarter results market shares company orders sales growth
    plans new director forecast costs profit demand factory product contract region year month board report
    agreed opened closed expects raised cut hired invested delivered improved delayed signed announced
    analysts customers suppliers prices
    """
)
NEWS_SOURCES = ("Daily Ledger", "Harbor Wire", "Market Courier", "The Evening Tape", "Trade Observer")
