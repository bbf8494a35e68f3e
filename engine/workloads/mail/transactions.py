"""What mail counts: tasks, and each kind of them as a timed part of the tasks."""

from engine.workload.transaction import Metric, TransactionType

TASK = "task"
CHECK, READ, SEND, REPLY, MOVE, DELETE, CALENDAR = "check", "read", "send", "reply", "move", "delete", "calendar"

TRANSACTIONS = (
    TransactionType(id=TASK, label="task", plural="tasks"),
    TransactionType(id=CHECK, label="check of the inbox", labels="checks of the inbox", plural="checks", step_of=TASK),
    TransactionType(id=READ, label="message read", labels="messages read", plural="reads", step_of=TASK),
    TransactionType(id=SEND, label="message sent", labels="messages sent", plural="sends", step_of=TASK),
    TransactionType(id=REPLY, label="reply", labels="replies", plural="replies", step_of=TASK),
    TransactionType(id=MOVE, label="message moved", labels="messages moved", plural="moves", step_of=TASK),
    TransactionType(id=DELETE, label="message deleted", labels="messages deleted", plural="deletes", step_of=TASK),
    TransactionType(id=CALENDAR, label="appointment", plural="appointments", step_of=TASK),
)
TASKS_PER_MINUTE = Metric(
    id="tasks_per_minute", label="tasks/min", unit="tasks/min", counts=TASK, per_seconds=60, has_decimals=True
)
