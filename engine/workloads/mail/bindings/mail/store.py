"""The mailboxes of the mail workload."""

from engine.services.mail.definition import MailboxDefinition
from engine.workload.registry import MAIL
from engine.workloads.mail.sizing import Mailboxes, built_sizes

STORE = MailboxDefinition(
    workload=MAIL, version=1, mailboxes=lambda scale: Mailboxes.parse(scale).count, sizes=built_sizes
)
