"""The contracts that every DBMS fulfils, as test classes for the file of each to import, which has the fixtures."""

from tests.engine.databases.contract.auditing import AuditContract as TestAudit
from tests.engine.databases.contract.auditing import AuditingContract as TestAuditing
from tests.engine.databases.contract.building import BuildingContract as TestBuilding
from tests.engine.databases.contract.buying import BuyingContract as TestBuying
from tests.engine.databases.contract.connecting import ConnectingContract as TestConnecting
from tests.engine.databases.contract.crowding import CrowdingContract as TestCrowding
from tests.engine.databases.contract.earlier import EarlierContract as TestEarlier
from tests.engine.databases.contract.failing import FailingContract as TestFailing
from tests.engine.databases.contract.keeping import KeepingContract as TestKeeping
from tests.engine.databases.contract.leasing import LeasingContract as TestLeasing
from tests.engine.databases.contract.probing import ProbingContract as TestProbing
from tests.engine.databases.contract.replacing import ReplacingContract as TestReplacing
from tests.engine.databases.contract.searching import SearchingContract as TestSearching
from tests.engine.databases.contract.surviving import SurvivingContract as TestSurviving

__all__ = [
    "TestAudit",
    "TestAuditing",
    "TestBuilding",
    "TestBuying",
    "TestConnecting",
    "TestCrowding",
    "TestEarlier",
    "TestFailing",
    "TestKeeping",
    "TestLeasing",
    "TestProbing",
    "TestReplacing",
    "TestSearching",
    "TestSurviving",
]
