-- Who uses the store: one row, whose token is empty while nobody does. See engine/databases/lease.py.

CREATE TABLE IF NOT EXISTS public.spindle_lease (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    token text NOT NULL DEFAULT '',
    user_name text NOT NULL DEFAULT '',
    host_name text NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    process_key text NOT NULL DEFAULT '',
    program text NOT NULL DEFAULT '',
    purpose text NOT NULL DEFAULT '',
    lasts_seconds double precision NOT NULL DEFAULT 0,
    generation bigint NOT NULL DEFAULT 0,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO public.spindle_lease (one) VALUES (true) ON CONFLICT (one) DO NOTHING;
