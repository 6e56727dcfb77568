-- A store of level 20, with rows in every table. Written once by the commit before 0021-initial-schema; never edited.
begin;
CREATE FUNCTION public.monitor_added() RETURNS trigger LANGUAGE plpgsql AS $$ begin insert into monitor_totals (account_id, total) select account_id, count(*) from added group by account_id order by account_id on conflict (account_id) do update set total = monitor_totals.total + excluded.total; return null; end $$;
CREATE FUNCTION public.monitor_listed() RETURNS trigger LANGUAGE plpgsql AS $$ begin insert into monitor_listing (account_id, monitor_id, created_at, host, port, phase, not_after, trouble, tags, search_text) values (new.account_id, new.id, new.created_at, new.host, new.port, case when new.paused_by is not null then 0 when new.not_after is null and new.checked = 0 then 1 when new.not_after is null then 2 when new.revoked = 1 then 3 else 4 end, new.not_after, case when new.paused_by is not null then 0 when new.uptime = 'down' or new.problem = 'unreachable' then 2 when new.problem = 'untrusted' then 1 else 0 end, new.tags, new.search_text); return null; end $$;
CREATE FUNCTION public.monitor_relisted() RETURNS trigger LANGUAGE plpgsql AS $$ begin update monitor_listing set phase = case when new.paused_by is not null then 0 when new.not_after is null and new.checked = 0 then 1 when new.not_after is null then 2 when new.revoked = 1 then 3 else 4 end, not_after = new.not_after, trouble = case when new.paused_by is not null then 0 when new.uptime = 'down' or new.problem = 'unreachable' then 2 when new.problem = 'untrusted' then 1 else 0 end, tags = new.tags, search_text = new.search_text where account_id = new.account_id and monitor_id = new.id; return null; end $$;
CREATE FUNCTION public.monitor_removed() RETURNS trigger LANGUAGE plpgsql AS $$ begin update monitor_totals set total = monitor_totals.total - gone.many from (select account_id, count(*) as many from removed group by account_id) as gone where gone.account_id = monitor_totals.account_id; return null; end $$;
CREATE FUNCTION public.monitor_scheduled() RETURNS trigger LANGUAGE plpgsql AS $$ begin update monitor_listing set on_schedule_until = new.on_schedule_until where account_id = new.account_id and monitor_id = new.id; return null; end $$;
CREATE TABLE public.account (id text NOT NULL, "accountId" text NOT NULL, "providerId" text NOT NULL, "userId" text NOT NULL, "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" timestamp with time zone, "refreshTokenExpiresAt" timestamp with time zone, scope text, password text, "createdAt" timestamp with time zone NOT NULL, "updatedAt" timestamp with time zone NOT NULL);
CREATE TABLE public.accounts (id text NOT NULL, email text NOT NULL, email_verified integer NOT NULL, full_name text NOT NULL, photo_url text, paddle_id text NOT NULL, company_name text NOT NULL, plan text NOT NULL, created_at bigint NOT NULL, plan_status text DEFAULT ''::text NOT NULL, plan_source text DEFAULT 'none'::text NOT NULL, plan_ends_at bigint, trial_ends_at bigint, granted_at bigint, grant_ends_at bigint, disabled_at bigint, time_zone text, alert_settings text, digest_next_at bigint, reached_out_at bigint, kind text DEFAULT 'person'::text NOT NULL, old_links_until bigint);
CREATE TABLE public.alarms (code text NOT NULL, detail text NOT NULL, since bigint NOT NULL, seen_at bigint NOT NULL, told_at bigint);
CREATE TABLE public.alerts (account_id text NOT NULL, id text NOT NULL, monitor_id text, incident_id text, kind text NOT NULL, step text NOT NULL, fingerprint text NOT NULL, severity text NOT NULL, facts text NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.api_tokens (account_id text NOT NULL, id text NOT NULL, token_hash text NOT NULL, prefix text NOT NULL, name text NOT NULL, scopes text NOT NULL, created_at bigint NOT NULL, last_used_at bigint, expires_at bigint);
CREATE TABLE public.authorities (id text NOT NULL, account_id text NOT NULL, fingerprint text NOT NULL, der bytea NOT NULL, facts text NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.badges (account_id text NOT NULL, monitor_id text NOT NULL, token text NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.calendar_feeds (account_id text NOT NULL, token_hash text NOT NULL, created_at bigint NOT NULL, read_at bigint);
CREATE TABLE public.certificates (fingerprint text NOT NULL, der bytea NOT NULL, facts text, first_seen_at bigint NOT NULL);
CREATE TABLE public.channels (id text NOT NULL, account_id text NOT NULL, kind text NOT NULL, name text NOT NULL, config text NOT NULL, created_at bigint NOT NULL, confirmed_at bigint, confirm_hash text, disabled_at bigint, disabled_by text, failing_since bigint, delivered_at bigint);
CREATE TABLE public.check_runs (account_id text NOT NULL, monitor_id text NOT NULL, number integer NOT NULL, first_at bigint NOT NULL, last_at bigint, checks integer NOT NULL, reached integer NOT NULL, uptime text, down_message text, verdict_id text NOT NULL, evidence_id text NOT NULL);
CREATE TABLE public.deliveries (account_id text NOT NULL, id text NOT NULL, alert_id text NOT NULL, incident_id text, channel text NOT NULL, channel_key text NOT NULL, channel_id text, dedupe_key text NOT NULL, message_id text NOT NULL, state text NOT NULL, attempts integer NOT NULL, unanswered integer NOT NULL, next_attempt_at bigint NOT NULL, first_attempt_at bigint, lease_token text, lease_expires_at bigint, claimed_by text, settled_at bigint, detail text, forced integer DEFAULT 0 NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.delivery_attempts (account_id text NOT NULL, delivery_id text NOT NULL, attempt integer NOT NULL, started_at bigint NOT NULL, finished_at bigint, outcome text, detail text);
CREATE TABLE public.evidence (account_id text NOT NULL, monitor_id text NOT NULL, id text NOT NULL, first_seen_at bigint NOT NULL, observation text NOT NULL);
CREATE TABLE public.favicons (host text NOT NULL, port integer NOT NULL, content_type text, content bytea, version text, next_fetch_at bigint NOT NULL);
CREATE TABLE public.feedback (id text NOT NULL, account_id text NOT NULL, title text NOT NULL, message text NOT NULL, premium integer NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.glances (id text NOT NULL, host text NOT NULL, port integer NOT NULL, created_at bigint NOT NULL, lease_expires_at bigint, answer text, protocol text DEFAULT 'tls'::text NOT NULL);
CREATE TABLE public.idempotency_keys (account_id text NOT NULL, key_hash text NOT NULL, request_hash text NOT NULL, attempt text NOT NULL, lease_expires_at bigint NOT NULL, status integer, content_type text, body text, created_at bigint NOT NULL);
CREATE TABLE public.identities (issuer text NOT NULL, subject text NOT NULL, account_id text NOT NULL, email_verified integer NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.incidents (account_id text NOT NULL, monitor_id text NOT NULL, id text NOT NULL, problem text NOT NULL, fingerprint text NOT NULL, started_at bigint NOT NULL, confirmed_at bigint, clearing_since bigint, ended_at bigint, recovered integer NOT NULL, acknowledged_at bigint, snoozed_until bigint, cause text NOT NULL, message text NOT NULL, facts text NOT NULL);
CREATE TABLE public.jwks (id text NOT NULL, "publicKey" text NOT NULL, "privateKey" text NOT NULL, "createdAt" timestamp with time zone NOT NULL, "expiresAt" timestamp with time zone, alg text, crv text);
CREATE TABLE public.kysely_migration (name character varying(255) NOT NULL, "timestamp" character varying(255) NOT NULL);
CREATE TABLE public.mails (id text NOT NULL, account_id text, recipient text NOT NULL, kind text NOT NULL, data text, message_id text NOT NULL, state text NOT NULL, attempts integer NOT NULL, unanswered integer NOT NULL, next_attempt_at bigint NOT NULL, first_attempt_at bigint, expires_at bigint, lease_token text, lease_expires_at bigint, claimed_by text, settled_at bigint, detail text, created_at bigint NOT NULL);
CREATE TABLE public.maintenance_windows (account_id text NOT NULL, id text NOT NULL, monitor_id text, starts_at bigint NOT NULL, ends_at bigint NOT NULL, repeats text NOT NULL, note text NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.monitor_certificates (account_id text NOT NULL, monitor_id text NOT NULL, id text NOT NULL, fingerprint text NOT NULL, role text NOT NULL, first_seen_at bigint NOT NULL, last_seen_at bigint NOT NULL, shown integer NOT NULL, kept integer DEFAULT 1 NOT NULL);
CREATE TABLE public.monitor_days (account_id text NOT NULL, monitor_id text NOT NULL, day_at bigint NOT NULL, checks integer NOT NULL, up integer NOT NULL, down integer NOT NULL, unknown integer NOT NULL, answered integer NOT NULL, response_sum bigint NOT NULL, response_max integer NOT NULL, hours text NOT NULL);
CREATE TABLE public.monitor_listing (account_id text NOT NULL, monitor_id text NOT NULL, created_at bigint NOT NULL, host text NOT NULL COLLATE pg_catalog."C", port integer NOT NULL, phase integer NOT NULL, not_after bigint, trouble integer NOT NULL, tags text NOT NULL, search_text text NOT NULL, on_schedule_until bigint);
CREATE TABLE public.monitor_states (account_id text NOT NULL, monitor_id text NOT NULL, verdict_id text, moment text, evidence_id text, shown_id text, shown_at bigint, run_number integer NOT NULL, run_last_at bigint NOT NULL, run_checks integer NOT NULL, samples text, hour_at bigint, hour text, unkept_at bigint, unkept_limit text) WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='1');
CREATE TABLE public.monitor_totals (account_id text NOT NULL, total integer NOT NULL);
CREATE TABLE public.monitors (account_id text NOT NULL, id text NOT NULL, host text NOT NULL, port integer NOT NULL, protocol text DEFAULT 'tls'::text NOT NULL, check_every_minutes integer NOT NULL, created_at bigint NOT NULL, next_check_at bigint NOT NULL, last_checked_at bigint, checked integer DEFAULT 0 NOT NULL, check_requested_at bigint, lease_token text, lease_expires_at bigint, claimed_by text, claim_asked integer DEFAULT 0 NOT NULL, certificate_fingerprint text, not_after bigint, revoked integer NOT NULL, last_read_at bigint, unreachable_since bigint, problem text, problem_message text, active integer DEFAULT 1 NOT NULL, paused_by text, paused_at bigint, uptime text, uptime_since bigint, suspected_since bigint, down_since bigint, down_seen_at bigint, response_ms integer, recent_checks text DEFAULT ''::text NOT NULL, notes text DEFAULT ''::text NOT NULL, tags text DEFAULT '[]'::text NOT NULL, search_text text DEFAULT ''::text NOT NULL, alert_settings text, lane integer DEFAULT 0 NOT NULL, on_schedule_until bigint) WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='1');
CREATE TABLE public.oldest_program (level integer NOT NULL);
CREATE TABLE public.passkey (id text NOT NULL, "userId" text NOT NULL, name text, "publicKey" text NOT NULL, "credentialID" text NOT NULL, counter integer NOT NULL, "deviceType" text NOT NULL, "backedUp" boolean NOT NULL, transports text, "createdAt" timestamp with time zone, aaguid text);
CREATE TABLE public.payment_events (id text NOT NULL, account_id text, type text NOT NULL, occurred_at bigint NOT NULL, received_at bigint NOT NULL, outcome text NOT NULL, refund_of text, refund_at bigint, refunded integer);
CREATE TABLE public.rate_limits (key text NOT NULL, window_ends_at bigint NOT NULL, count integer NOT NULL);
CREATE TABLE public.session (id text NOT NULL, "expiresAt" timestamp with time zone NOT NULL, token text NOT NULL, "createdAt" timestamp with time zone NOT NULL, "updatedAt" timestamp with time zone NOT NULL, "ipAddress" text, "userAgent" text, "userId" text NOT NULL);
CREATE TABLE public.sessions (id text NOT NULL, account_id text NOT NULL, access_hash text NOT NULL, access_expires_at bigint NOT NULL, refresh_hash text NOT NULL, previous_refresh_hash text, rotated_at bigint, refresh_idle_expires_at bigint NOT NULL, refresh_expires_at bigint NOT NULL, created_at bigint NOT NULL, user_agent text DEFAULT ''::text NOT NULL, address text DEFAULT ''::text NOT NULL);
CREATE TABLE public.status_page_domains (account_id text NOT NULL, monitor_id text NOT NULL, place integer NOT NULL, label text NOT NULL);
CREATE TABLE public.status_pages (account_id text NOT NULL, slug text NOT NULL, enabled integer NOT NULL, listed integer NOT NULL, title text NOT NULL, shows text NOT NULL, tags text NOT NULL, show_certificates integer NOT NULL, show_uptime integer NOT NULL, show_incidents integer NOT NULL, created_at bigint NOT NULL, changed_at bigint NOT NULL);
CREATE TABLE public.subscriptions (id text NOT NULL, account_id text NOT NULL, customer_id text NOT NULL, price_id text NOT NULL, status text NOT NULL, period_starts_at bigint, period_ends_at bigint, cancels_at bigint, past_due_since bigint, refunded_at bigint, refund_told_at bigint, told_at bigint NOT NULL, created_at bigint NOT NULL);
CREATE TABLE public.suppressions (address text NOT NULL, reason text NOT NULL, detail text NOT NULL, since bigint NOT NULL);
CREATE TABLE public.trials (address_hash text NOT NULL, account_id text, started_at bigint NOT NULL, account_deleted_at bigint);
CREATE TABLE public."twoFactor" (id text NOT NULL, "userId" text NOT NULL, secret text NOT NULL, "backupCodes" text NOT NULL, verified boolean, "failedVerificationCount" integer, "lockedUntil" timestamp with time zone);
CREATE TABLE public.unsubscriptions (account_id text NOT NULL, id text NOT NULL, channel_key text NOT NULL, monitor_id text, created_at bigint NOT NULL);
CREATE TABLE public."user" (id text NOT NULL, name text NOT NULL, email text NOT NULL, "emailVerified" boolean NOT NULL, image text, "createdAt" timestamp with time zone NOT NULL, "updatedAt" timestamp with time zone NOT NULL, "twoFactorEnabled" boolean, company text, trial boolean);
CREATE TABLE public.verdicts (account_id text NOT NULL, monitor_id text NOT NULL, id text NOT NULL, judged_at bigint NOT NULL, leaf_fingerprint text, verdict text NOT NULL);
CREATE TABLE public.verification (id text NOT NULL, identifier text NOT NULL, value text NOT NULL, "expiresAt" timestamp with time zone NOT NULL, "createdAt" timestamp with time zone NOT NULL, "updatedAt" timestamp with time zone NOT NULL);
INSERT INTO public.account VALUES ('bob', 'bob at the provider', 'credential', 'bob at the provider', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00'),
  ('alice', 'alice at the provider', 'credential', 'alice at the provider', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00');
INSERT INTO public.accounts VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'bob@example.com', 1, 'bob', NULL, '', '', 'free', 1768435200000, '', 'none', NULL, 1769644800000, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000, 'person', NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'alice@example.com', 1, 'alice', NULL, 'ctm_alice', '', 'premium', 1768435200000, 'active', 'grant', NULL, 1769644800000, 1768435200000, NULL, NULL, 'Europe/Berlin', NULL, NULL, 1768435200000, 'person', 1776211200000);
INSERT INTO public.alarms VALUES ('checks_late', 'detail', 1768435200000, 1768435200000, NULL);
INSERT INTO public.alerts VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '08ad96f7-fe5a-42be-9d31-cd5fea526f0d', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'cf054645-c9c7-426f-84ff-fafee19ff5c2', 'expiry', 'critical', 'dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8', 'critical', '{"certificate":{"fingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","notBefore":1761091200000,"notAfter":1768867200000,"role":"leaf","name":"bob.example"},"message":null,"fix":null,"successor":null,"asOf":1768435200000,"startedAt":1768435200000,"endedAt":null}', 1768435200000),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '5a47cd1b-f84e-48bf-8951-8c8586dc577f', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'aefd3823-cd2b-4978-8973-b8e89a44e5b8', 'down', 'opened', '', 'critical', '{"certificate":null,"asOf":1768521660000,"message":"bob.example refused the connection.","fix":null,"successor":null,"startedAt":1768521600000,"endedAt":null}', 1768521660000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1933104c-89cd-4057-8d04-4e8a0f44246c', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'b06f0150-9a9c-4df2-9027-abb4dee0cbf1', 'expiry', 'critical', 'a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84', 'critical', '{"certificate":{"fingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","notBefore":1761091200000,"notAfter":1768867200000,"role":"leaf","name":"alice.example"},"message":null,"fix":null,"successor":null,"asOf":1768435200000,"startedAt":1768435200000,"endedAt":null}', 1768435200000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '2bbaf654-6125-4313-9371-3e9346efd181', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', '6b3dd177-71fb-40a5-9a81-a6c569b7be31', 'down', 'opened', '', 'critical', '{"certificate":null,"asOf":1768521660000,"message":"alice.example refused the connection.","fix":null,"successor":null,"startedAt":1768521600000,"endedAt":null}', 1768521660000);
INSERT INTO public.api_tokens VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'a454052e-e691-4bfc-947c-f5a44bc472c7', 'e2017877ba08d58ae79f2e60f17f39ec08b50193c80020af07f2ec533bc35a24', 'clt_', 'script', '["read"]', 1768435200000, NULL, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'c19f8741-da85-4059-b269-9dd3b941b80e', '531998e3d024d2a729d4e48fb70e90ab832a9e9244f447f050281aaba14385a0', 'clt_', 'script', '["read"]', 1768435200000, NULL, NULL);
INSERT INTO public.authorities VALUES ('3424791a-b371-4541-84da-c4f893ce7eb1', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'a3053b33c36e4f9475ed3e692fcca156063058c765265b8ba7dafd0c4d1b1a3e', '\x751ebe138918de6bad8137fb6349ab7f7c7f31a4c26ac1c4ece3aae6a90b11f95b3dfb511edb1c25a08777f4d38219887d65c0592bbb6312d941ab1ed86841b4', '{"fingerprint":"a3053b33c36e4f9475ed3e692fcca156063058c765265b8ba7dafd0c4d1b1a3e","serialNumber":"01","issuer":"R10","subject":"Root","notBefore":1765843200000,"notAfter":1773619200000,"authorityName":"Let’s Encrypt","authorityFullDn":"CN=R10,O=Let’s Encrypt,C=US","authorityUrl":null,"sans":["www.example.org","example.org"],"subjectFullDn":"CN=Root"}', 1768608000000),
  ('6a3fe85d-9382-4fd0-960d-d90ab5e42dbd', '89456c9f-7b53-4bab-962e-9987da5c8d5a', '96cae338c5737844331f304bb288caa740d3f880c04070fd1869b7be71c36e32', '\x3730f39be49a105be49caf4b3529070b3c9269e75b8475ef5076fd7afd1ab777ec0770893743eb54517a0e96e66e0af5fcb55dd9267a4f6425da24ae750ff122', '{"fingerprint":"96cae338c5737844331f304bb288caa740d3f880c04070fd1869b7be71c36e32","serialNumber":"01","issuer":"R10","subject":"Root","notBefore":1765843200000,"notAfter":1773619200000,"authorityName":"Let’s Encrypt","authorityFullDn":"CN=R10,O=Let’s Encrypt,C=US","authorityUrl":null,"sans":["www.example.org","example.org"],"subjectFullDn":"CN=Root"}', 1768608000000);
INSERT INTO public.badges VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'bob', 1768435200000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'alice', 1768435200000);
INSERT INTO public.calendar_feeds VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '81b637d8fcd2c6da6359e6963113a1170de795e4b725b84d1e0b4cfd9ec58ce9', 1768435200000, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90', 1768435200000, NULL);
INSERT INTO public.certificates VALUES ('7dfdb8d9f9e84009822acfdd6d53403cdaf29539a5039bbcd1132b530bf1c134', '\xc5af5e00d78b2ec47e4a5f9c6adf4e416508abd56fa984319ce41a8eeeaf0b3e1675bc91a5b4cde222830f7cad22515dc627e93041cedc7a575cc62aa146292e', '{"fingerprint":"7dfdb8d9f9e84009822acfdd6d53403cdaf29539a5039bbcd1132b530bf1c134","serialNumber":"01","issuer":"R10","subject":"R10","notBefore":1765843200000,"notAfter":1773619200000,"authorityName":"Let’s Encrypt","authorityFullDn":"CN=R10,O=Let’s Encrypt,C=US","authorityUrl":null,"sans":["www.example.org","example.org"]}', 1768435200000),
  ('dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8', '\x1947ca1b45766f2dcfacb607e7d3ab0b3223626acac82977ea2bcd7123600939d725be32883df7a8ad9f5f5a131be1776a6a6db5c3a6cb1e0f3140fbf2711567', '{"fingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","serialNumber":"01","issuer":"R10","subject":"bob.example","notBefore":1761091200000,"notAfter":1768867200000,"authorityName":"Let’s Encrypt","authorityFullDn":"CN=R10,O=Let’s Encrypt,C=US","authorityUrl":null,"sans":["www.example.org","example.org"]}', 1768435200000),
  ('a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84', '\xb17f49f605f777b47feb574b9a3f9d4043e1cf1e06daf4c5dc074a463f046222ca2d4a303671974e235db50b09c2ceccf8eba2436f5ac40b323e0f9206495398', '{"fingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","serialNumber":"01","issuer":"R10","subject":"alice.example","notBefore":1761091200000,"notAfter":1768867200000,"authorityName":"Let’s Encrypt","authorityFullDn":"CN=R10,O=Let’s Encrypt,C=US","authorityUrl":null,"sans":["www.example.org","example.org"]}', 1768435200000),
  ('32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f', '\x2672a583efed8ac94e28ec9ce628be6e6248ec0eb3a0651259c7e4244cb2ca81ce6d4c10c79590cb4b640770b0101b6d255ee952b41e6bffc266f52d19238f52', '{"fingerprint":"32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f","serialNumber":"01","issuer":"R10","subject":"www.example.org","notBefore":1768262400000,"notAfter":1768953600000,"authorityName":"Let’s Encrypt","authorityFullDn":"CN=R10,O=Let’s Encrypt,C=US","authorityUrl":null,"sans":["www.example.org","example.org"]}', 1768521600000);
INSERT INTO public.channels VALUES ('d0e43c99-092f-4d3d-9ca1-981480129a19', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'email', 'Ops', '{"kind":"email","address":"ops@bob.example"}', 1768435200000, 1768435200000, NULL, NULL, NULL, NULL, NULL),
  ('2905b623-8d4b-428a-a5ee-7ff37f3f1a04', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'email', 'Ops', '{"kind":"email","address":"ops@alice.example"}', 1768435200000, 1768435200000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.check_runs VALUES ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', 1, 1768521600000, NULL, 1, 1, 'up', NULL, '4ae8cd29dd06068a2953f44adf0df211', '6295e65a9a505c4226a6f43dd3c9fd32'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 1, 1768435200000, 1768435200000, 1, 1, 'up', NULL, '8d7a92438816983a99e6bbd053881762', '984fcf88fd14ea93f94541458fe8095b'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 2, 1768521600000, NULL, 1, 0, 'down', 'alice.example refused the connection.', 'ac7e49aa2fb90b93281c15e6a85fcfe7', 'a8e168efbd9676f0304c3273913b2db0'),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 1, 1768435200000, 1768435200000, 1, 1, 'up', NULL, '43aec756c98acd56f5199c9ae8c87025', 'ab266478ccfc68e5f280e240511884f6'),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 2, 1768521600000, NULL, 1, 0, 'down', 'bob.example refused the connection.', 'ac7e49aa2fb90b93281c15e6a85fcfe7', 'a8e168efbd9676f0304c3273913b2db0');
INSERT INTO public.deliveries VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'be672f07-bd75-4177-8d57-eb8d93866f3c', '08ad96f7-fe5a-42be-9d31-cd5fea526f0d', 'cf054645-c9c7-426f-84ff-fafee19ff5c2', 'email', 'email', NULL, 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d:expiry:dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8:1768435200000:critical:email', '<be672f07-bd75-4177-8d57-eb8d93866f3c@alerts.certlantern>', 'waiting', 1, 1, 1768435200000, 1768435200000, 'be9bf245-ffe6-4f4a-b0d6-22d13ebea0bc', 1768521600000, 'a worker', NULL, NULL, 0, 1768435200000),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '45630eb2-40cb-49eb-b766-1f83b388edcf', '5a47cd1b-f84e-48bf-8951-8c8586dc577f', 'aefd3823-cd2b-4978-8973-b8e89a44e5b8', 'email', 'email', NULL, 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d:down::1768521600000:opened:email', '<45630eb2-40cb-49eb-b766-1f83b388edcf@alerts.certlantern>', 'superseded', 0, 0, 1768521660000, NULL, NULL, NULL, NULL, 1768608000000, 'Its reader unsubscribed.', 0, 1768521660000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '80269906-391f-451f-b3d4-70d5165c9979', '1933104c-89cd-4057-8d04-4e8a0f44246c', 'b06f0150-9a9c-4df2-9027-abb4dee0cbf1', 'email', 'email', NULL, 'f442d1fb-38fd-4686-8c53-8fb0067ddf72:expiry:a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84:1768435200000:critical:email', '<80269906-391f-451f-b3d4-70d5165c9979@alerts.certlantern>', 'waiting', 1, 1, 1768435200000, 1768435200000, '19414a07-7b4f-442f-bd6f-f956eca79e2d', 1768521600000, 'a worker', NULL, NULL, 0, 1768435200000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '5104ba67-d5af-4c76-b9a6-5b155333f036', '2bbaf654-6125-4313-9371-3e9346efd181', '6b3dd177-71fb-40a5-9a81-a6c569b7be31', 'email', 'email', NULL, 'f442d1fb-38fd-4686-8c53-8fb0067ddf72:down::1768521600000:opened:email', '<5104ba67-d5af-4c76-b9a6-5b155333f036@alerts.certlantern>', 'superseded', 0, 0, 1768521660000, NULL, NULL, NULL, NULL, 1768608000000, 'Its reader unsubscribed.', 0, 1768521660000);
INSERT INTO public.delivery_attempts VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'be672f07-bd75-4177-8d57-eb8d93866f3c', 1, 1768435200000, NULL, NULL, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '80269906-391f-451f-b3d4-70d5165c9979', 1, 1768435200000, NULL, NULL, NULL);
INSERT INTO public.evidence VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'ab266478ccfc68e5f280e240511884f6', 1768435200000, '{"http":null,"authorities":[],"revocation":[],"renewal":[],"posture":null,"endpoint":{"host":"bob.example","port":443,"protocol":"https"},"observedAt":1768435200000,"durationMs":20,"resolution":{"ok":true,"addresses":["192.0.2.1"]},"addresses":[{"address":"192.0.2.1","family":4,"durationMs":20,"outcome":"handshake","tlsVersion":"TLSv1.3","cipher":"TLS_AES_128_GCM_SHA256","group":"X25519","legacyTls":false,"staple":null,"presentedChain":["dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","7dfdb8d9f9e84009822acfdd6d53403cdaf29539a5039bbcd1132b530bf1c134"]}]}'),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'a8e168efbd9676f0304c3273913b2db0', 1768521600000, '{"http":null,"authorities":[],"revocation":[],"renewal":[],"posture":null,"endpoint":{"host":"bob.example","port":443,"protocol":"https"},"observedAt":1768521600000,"durationMs":20,"resolution":{"ok":true,"addresses":["192.0.2.1"]},"addresses":[{"address":"192.0.2.1","family":4,"durationMs":20,"outcome":"failed","stage":"connect","reason":"refused","tlsAlert":null,"detail":null}]}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', '984fcf88fd14ea93f94541458fe8095b', 1768435200000, '{"http":null,"authorities":[],"revocation":[],"renewal":[],"posture":null,"endpoint":{"host":"alice.example","port":443,"protocol":"https"},"observedAt":1768435200000,"durationMs":20,"resolution":{"ok":true,"addresses":["192.0.2.1"]},"addresses":[{"address":"192.0.2.1","family":4,"durationMs":20,"outcome":"handshake","tlsVersion":"TLSv1.3","cipher":"TLS_AES_128_GCM_SHA256","group":"X25519","legacyTls":false,"staple":null,"presentedChain":["a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","7dfdb8d9f9e84009822acfdd6d53403cdaf29539a5039bbcd1132b530bf1c134"]}]}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'a8e168efbd9676f0304c3273913b2db0', 1768521600000, '{"http":null,"authorities":[],"revocation":[],"renewal":[],"posture":null,"endpoint":{"host":"alice.example","port":443,"protocol":"https"},"observedAt":1768521600000,"durationMs":20,"resolution":{"ok":true,"addresses":["192.0.2.1"]},"addresses":[{"address":"192.0.2.1","family":4,"durationMs":20,"outcome":"failed","stage":"connect","reason":"refused","tlsAlert":null,"detail":null}]}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', '6295e65a9a505c4226a6f43dd3c9fd32', 1768521600000, '{"http":null,"authorities":[],"revocation":[],"renewal":[],"posture":null,"endpoint":{"host":"xn--bcher-kva.example","port":8443,"protocol":"https"},"observedAt":1768521600000,"durationMs":20,"resolution":{"ok":true,"addresses":["192.0.2.1"]},"addresses":[{"address":"192.0.2.1","family":4,"durationMs":20,"outcome":"handshake","tlsVersion":"TLSv1.3","cipher":"TLS_AES_128_GCM_SHA256","group":"X25519","legacyTls":false,"staple":null,"presentedChain":["32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f"]}]}');
INSERT INTO public.favicons VALUES ('bob.example', 443, NULL, NULL, NULL, 1768435200000),
  ('alice.example', 443, 'image/png', '\x00ff10', 'v1', 1768435200000),
  ('xn--bcher-kva.example', 8443, NULL, NULL, NULL, 1768521600000);
INSERT INTO public.feedback VALUES ('083e6384-0c5a-40dd-9332-db4bc0a17b16', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'feedback', 'From bob', 0, 1768435200000),
  ('40f60c89-aab7-4c80-95ce-bfeb3c40d8e9', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'feedback', 'From alice', 0, 1768435200000);
INSERT INTO public.glances VALUES ('glance', 'shop.example', 443, 1768435200000, NULL, NULL, 'https');
INSERT INTO public.idempotency_keys VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683', '9aee6b1bcdf617d8e39bb1f2b624c68ea33deb9d48e0364aeaded836d3d00293', '22cebd8d-3b79-4a3b-a50e-02aa740fca04', 1768435260000, NULL, NULL, NULL, 1768435200000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683', '9aee6b1bcdf617d8e39bb1f2b624c68ea33deb9d48e0364aeaded836d3d00293', '61ca0bc4-f225-4be2-b526-0da6aab83619', 1768435260000, NULL, NULL, NULL, 1768435200000);
INSERT INTO public.identities VALUES ('https://certs.example', 'bob at the provider', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 1, 1768435200000),
  ('https://certs.example', 'alice at the provider', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 1, 1768435200000);
INSERT INTO public.incidents VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'cf054645-c9c7-426f-84ff-fafee19ff5c2', 'expiry', 'dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8', 1768435200000, 1768435200000, NULL, NULL, 0, NULL, NULL, 'expiry', '', '{"certificate":{"fingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","notBefore":1761091200000,"notAfter":1768867200000,"role":"leaf","name":"bob.example"},"message":null,"fix":null,"successor":null,"asOf":1768435200000,"startedAt":1768435200000,"endedAt":null}'),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'aefd3823-cd2b-4978-8973-b8e89a44e5b8', 'down', '', 1768521600000, 1768521660000, NULL, NULL, 0, NULL, NULL, 'refused', 'bob.example refused the connection.', '{"certificate":null,"asOf":1768521660000,"message":"bob.example refused the connection.","fix":null,"successor":null,"startedAt":1768521600000,"endedAt":null}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'b06f0150-9a9c-4df2-9027-abb4dee0cbf1', 'expiry', 'a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84', 1768435200000, 1768435200000, NULL, NULL, 0, NULL, NULL, 'expiry', '', '{"certificate":{"fingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","notBefore":1761091200000,"notAfter":1768867200000,"role":"leaf","name":"alice.example"},"message":null,"fix":null,"successor":null,"asOf":1768435200000,"startedAt":1768435200000,"endedAt":null}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', '6b3dd177-71fb-40a5-9a81-a6c569b7be31', 'down', '', 1768521600000, 1768521660000, NULL, NULL, 0, NULL, NULL, 'refused', 'alice.example refused the connection.', '{"certificate":null,"asOf":1768521660000,"message":"alice.example refused the connection.","fix":null,"successor":null,"startedAt":1768521600000,"endedAt":null}');
INSERT INTO public.jwks VALUES ('key', 'public', 'private', '2026-01-15 00:00:00+00', NULL, NULL, NULL);
INSERT INTO public.kysely_migration VALUES ('0001-first-tables', '2026-11-24T00:25:42.676Z'),
  ('0002-identity-provider-tables', '2026-11-24T00:25:42.677Z'),
  ('0003-plans-and-mails', '2026-11-24T00:25:42.678Z'),
  ('0004-identity-factors', '2026-11-24T00:25:42.679Z'),
  ('0005-descriptions-and-glances', '2026-11-24T00:25:42.680Z'),
  ('0006-protocols-and-uptime', '2026-11-24T00:25:42.681Z'),
  ('0007-channels-and-incidents', '2026-11-24T00:25:42.682Z'),
  ('0008-account-first', '2026-11-24T00:25:42.683Z'),
  ('0009-api-tokens', '2026-11-24T00:25:42.684Z'),
  ('0010-reading', '2026-11-24T00:25:42.685Z'),
  ('0011-status-pages', '2026-11-24T00:25:42.686Z'),
  ('0012-lanes', '2026-11-24T00:25:42.687Z'),
  ('0013-totals', '2026-11-24T00:25:42.688Z'),
  ('0014-bounded-storage', '2026-11-24T00:25:42.689Z'),
  ('0016-renewal-schedules', '2026-11-24T00:25:42.690Z'),
  ('0019-mailed-links', '2026-11-24T00:25:42.691Z'),
  ('0020-sign-ups', '2026-11-24T00:25:42.692Z');
INSERT INTO public.mails VALUES ('4a582130-73e0-4161-8f0c-af6bd318790b', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'bob@example.com', 'reached_you', '{"host":"bob.example","port":443,"more":0}', '<4a582130-73e0-4161-8f0c-af6bd318790b@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('68e00e5b-f55d-468d-9ad3-db8907d57ee3', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'bob@example.com', 'password_changed', '{}', '<68e00e5b-f55d-468d-9ad3-db8907d57ee3@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('face7c25-e3fe-4f2b-b418-43bd1fa72550', NULL, 'bob@example.com', 'password_changed', '{}', '<face7c25-e3fe-4f2b-b418-43bd1fa72550@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('758571f1-09c9-4d16-bb21-7bfd94fc11b8', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'support@certs.example', 'feedback', '{"from":{"name":"bob","email":"bob@example.com","premium":false},"message":"From bob"}', '<758571f1-09c9-4d16-bb21-7bfd94fc11b8@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('f9b12cf8-82b3-4249-9ae2-c36278e36cbc', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'alice@example.com', 'reached_you', '{"host":"alice.example","port":443,"more":0}', '<f9b12cf8-82b3-4249-9ae2-c36278e36cbc@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('988dea9c-772a-4640-911e-47dc476a11e2', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'alice@example.com', 'password_changed', '{}', '<988dea9c-772a-4640-911e-47dc476a11e2@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('b331217b-f5d9-4e3c-af1f-22fcbfcfba6c', NULL, 'alice@example.com', 'password_changed', '{}', '<b331217b-f5d9-4e3c-af1f-22fcbfcfba6c@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000),
  ('b3f28a0c-f8e6-4705-b2cb-dc31d7784e66', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'support@certs.example', 'feedback', '{"from":{"name":"alice","email":"alice@example.com","premium":false},"message":"From alice"}', '<b3f28a0c-f8e6-4705-b2cb-dc31d7784e66@certlantern>', 'waiting', 0, 0, 1768435200000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000);
INSERT INTO public.maintenance_windows VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '1f5b4cf3-1ec7-49f2-9662-0982839fa115', NULL, 1768435200000, 1768521600000, 'never', '', 1768435200000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'ee6aa3a6-f008-4314-90fd-a1dfaadf5246', NULL, 1768435200000, 1768521600000, 'never', '', 1768435200000);
INSERT INTO public.monitor_certificates VALUES ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', '2fff5254-ef0f-4cc8-b5cc-7677c13f1c4e', '32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f', 'leaf', 1768521600000, 1768521600000, 1, 1),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', '9743c665-2ddb-46d1-8c07-627b93e19503', '7dfdb8d9f9e84009822acfdd6d53403cdaf29539a5039bbcd1132b530bf1c134', 'chain', 1768435200000, 1768435200000, 1, 1),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', '49e7d2ee-b3e1-42be-85ae-e9e038e790ca', 'a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84', 'leaf', 1768435200000, 1768435200000, 1, 1),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', '65940005-f1c3-45aa-a360-66e318ffa7a0', '7dfdb8d9f9e84009822acfdd6d53403cdaf29539a5039bbcd1132b530bf1c134', 'chain', 1768435200000, 1768435200000, 1, 1),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', '57ae4d6f-f49e-47b6-8e0b-4d73dc06ffc8', 'dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8', 'leaf', 1768435200000, 1768435200000, 1, 1);
INSERT INTO public.monitor_days VALUES ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 1768435200000, 1, 1, 0, 0, 1, 20, 20, '[[0,1,20,20]]'),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 1768435200000, 1, 1, 0, 0, 1, 20, 20, '[[0,1,20,20]]');
INSERT INTO public.monitor_listing VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 1768435200000, 'bob.example', 443, 4, 1768867200000, 2, '[]', 'bob.example:443
', NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 1768435200000, 'alice.example', 443, 4, 1768867200000, 2, '[]', 'alice.example:443
', NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', 1768435200000, 'xn--bcher-kva.example', 8443, 4, 1768953600000, 0, '["prod","büro"]', 'xn--bcher-kva.example:8443
bücher.example:8443
prod
büro
it''s "quoted" — a
second line', 1768780800000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'b148495c-b4b4-4ebd-90a1-9d3059a62af9', 1768435200000, 'pending.example', 443, 1, NULL, 0, '[]', 'pending.example:443
', NULL);
INSERT INTO public.monitor_states VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'ac7e49aa2fb90b93281c15e6a85fcfe7', '{"judgedAt":1768521660000,"observedAt":1768521660000,"durations":[20],"seen":null}', 'a8e168efbd9676f0304c3273913b2db0', 'ab266478ccfc68e5f280e240511884f6', 1768435200000, 2, 1768521660000, 2, '{"checks":"Umkeonpc0,kD1ffuo0,,0D1aao,,0","messages":["bob.example refused the connection."]}', 1768521600000, '[2,0,2,0,0,0,0]', NULL, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'ac7e49aa2fb90b93281c15e6a85fcfe7', '{"judgedAt":1768521660000,"observedAt":1768521660000,"durations":[20],"seen":null}', 'a8e168efbd9676f0304c3273913b2db0', '984fcf88fd14ea93f94541458fe8095b', 1768435200000, 2, 1768521660000, 2, '{"checks":"Umkeonpc0,kD1ffuo0,,0D1aao,,0","messages":["alice.example refused the connection."]}', 1768521600000, '[2,0,2,0,0,0,0]', NULL, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', '4ae8cd29dd06068a2953f44adf0df211', '{"judgedAt":1768521600000,"observedAt":1768521600000,"durations":[20],"seen":{"at":1768521600000,"turn":null}}', '6295e65a9a505c4226a6f43dd3c9fd32', '6295e65a9a505c4226a6f43dd3c9fd32', 1768521600000, 1, 1768521600000, 1, '{"checks":"Umkg43k00,k","messages":[]}', 1768521600000, '[1,1,0,0,1,20,20]', NULL, NULL);
INSERT INTO public.monitor_totals VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 1),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 3);
INSERT INTO public.monitors VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'bob.example', 443, 'https', 1440, 1768435200000, 1768608000000, 1768521660000, 1, NULL, NULL, NULL, 'test', 0, 'dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8', 1768867200000, 0, 1768435200000, 1768521600000, 'unreachable', 'bob.example refused the connection.', 1, NULL, NULL, 'down', 1768435200000, NULL, 1768521600000, 1768521660000, 20, 'udd', '', '[]', 'bob.example:443
', NULL, 0, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'alice.example', 443, 'https', 1440, 1768435200000, 1768608000000, 1768521660000, 1, NULL, NULL, NULL, 'test', 0, 'a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84', 1768867200000, 0, 1768435200000, 1768521600000, 'unreachable', 'alice.example refused the connection.', 1, NULL, NULL, 'down', 1768435200000, NULL, 1768521600000, 1768521660000, 20, 'udd', '', '[]', 'alice.example:443
', NULL, 0, NULL),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', 'xn--bcher-kva.example', 8443, 'https', 1440, 1768435200000, 1769212800000, 1768521600000, 1, NULL, NULL, NULL, 'test', 0, '32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f', 1768953600000, 0, 1768521600000, NULL, NULL, NULL, 1, NULL, NULL, 'up', 1768521600000, NULL, NULL, NULL, 20, 'u', 'It''s "quoted" — a
second line', '["prod","büro"]', 'xn--bcher-kva.example:8443
bücher.example:8443
prod
büro
it''s "quoted" — a
second line', NULL, 0, 1768780800000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'b148495c-b4b4-4ebd-90a1-9d3059a62af9', 'pending.example', 443, 'https', 1440, 1768435200000, 1768435200000, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', '', '[]', 'pending.example:443
', NULL, 0, NULL);
INSERT INTO public.oldest_program VALUES (12);
INSERT INTO public.passkey VALUES ('bob', 'bob at the provider', NULL, 'key', 'bob', 0, 'singleDevice', true, NULL, NULL, NULL),
  ('alice', 'alice at the provider', NULL, 'key', 'alice', 0, 'singleDevice', true, NULL, NULL, NULL);
INSERT INTO public.payment_events VALUES ('bob', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'subscription.canceled', 1768435200000, 1768435200000, 'applied', NULL, NULL, NULL),
  ('alice', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'subscription.canceled', 1768435200000, 1768435200000, 'applied', NULL, NULL, NULL);
INSERT INTO public.rate_limits VALUES ('stored:d6c8376a-9bc9-458e-be46-2ae6147535f5', 1768608000000, 1),
  ('stored:89456c9f-7b53-4bab-962e-9987da5c8d5a', 1768608000000, 4),
  ('login', 1768435200000, 3);
INSERT INTO public.session VALUES ('bob', '2026-01-15 00:00:00+00', 'bob', '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00', NULL, NULL, 'bob at the provider'),
  ('alice', '2026-01-15 00:00:00+00', 'alice', '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00', NULL, NULL, 'alice at the provider');
INSERT INTO public.sessions VALUES ('session of bob', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'a', 1768435200000, 'r', NULL, NULL, 1768521600000, 1768521600000, 1768435200000, '', ''),
  ('session of alice', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'a', 1768435200000, 'r', NULL, NULL, 1768521600000, 1768521600000, 1768435200000, '', '');
INSERT INTO public.status_page_domains VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 0, ''),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 0, '');
INSERT INTO public.status_pages VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'status-of-bob', 0, 0, 'bob', 'chosen', '[]', 1, 1, 1, 1768435200000, 1768435200000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'status-of-alice', 0, 0, 'alice', 'chosen', '[]', 1, 1, 1, 1768435200000, 1768435200000);
INSERT INTO public.subscriptions VALUES ('bob', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 'customer bob', 'price', 'canceled', NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000, 1768435200000),
  ('alice', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 'customer alice', 'price', 'canceled', NULL, NULL, NULL, NULL, NULL, NULL, 1768435200000, 1768435200000);
INSERT INTO public.suppressions VALUES ('bob@example.com', 'refused', '550 unknown', 1768435200000),
  ('ops@bob.example', 'refused', '550 unknown', 1768435200000),
  ('alice@example.com', 'refused', '550 unknown', 1768435200000),
  ('ops@alice.example', 'refused', '550 unknown', 1768435200000);
INSERT INTO public.trials VALUES ('hash of bob', 'd6c8376a-9bc9-458e-be46-2ae6147535f5', 1768435200000, NULL),
  ('hash of alice', '89456c9f-7b53-4bab-962e-9987da5c8d5a', 1768435200000, NULL);
INSERT INTO public."twoFactor" VALUES ('bob', 'bob at the provider', 's', 'b', NULL, NULL, NULL),
  ('alice', 'alice at the provider', 's', 'b', NULL, NULL, NULL);
INSERT INTO public.unsubscriptions VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', '489e9105-5be3-4d99-8a96-608a091743ad', 'email', NULL, 1768608000000),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'c40c8c76-367d-4951-bf02-26a59a2bf441', 'email', NULL, 1768608000000);
INSERT INTO public."user" VALUES ('bob at the provider', 'bob', 'bob@example.com', true, NULL, '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00', NULL, NULL, NULL),
  ('alice at the provider', 'alice', 'alice@example.com', true, NULL, '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00', NULL, 'Alice & Co', true);
INSERT INTO public.verdicts VALUES ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', '43aec756c98acd56f5199c9ae8c87025', 1768435200000, 'dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8', '{"judgedAt":1768435200000,"observedAt":1768435200000,"reached":true,"failure":null,"addresses":[{"address":"192.0.2.1","family":4,"fingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","notAfter":1768867200000,"tlsVersion":"TLSv1.3","group":"X25519","durationMs":20,"failure":null}],"leafFingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","limiting":null,"findings":[],"trusted":true,"path":[],"chainToServe":null,"hasOwnRoot":false,"revocation":{"state":"unknown","source":null,"at":null,"reason":null,"revokedAt":null,"sources":[]},"renewal":{"from":1766275200000,"to":1768867200000,"source":"lifetime","explanationUrl":null,"overdueAt":1766923200000},"posture":null,"trustStoreHash":"roots","lastSeen":{"at":1768435200000,"leafFingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","expiring":[{"fingerprint":"dd85a8dc46e233717fdac7185ba6d1e86e3e14c4145697735b966790f10579d8","notBefore":1761091200000,"notAfter":1768867200000,"role":"leaf","name":"bob.example","renewalWindow":null}],"findings":[],"revoked":[],"turns":[]}}'),
  ('d6c8376a-9bc9-458e-be46-2ae6147535f5', 'efbc3aa9-ae30-4a08-bd9d-6f2b0a133b4d', 'ac7e49aa2fb90b93281c15e6a85fcfe7', 1768521600000, NULL, '{"judgedAt":1768521600000,"observedAt":1768521600000,"reached":false,"failure":{"stage":"connect","reason":"refused","detail":null},"addresses":[{"address":"192.0.2.1","family":4,"fingerprint":null,"notAfter":null,"tlsVersion":null,"group":null,"durationMs":20,"failure":{"stage":"connect","reason":"refused"}}],"leafFingerprint":null,"limiting":null,"findings":[],"trusted":false,"path":[],"chainToServe":null,"hasOwnRoot":false,"revocation":{"state":"unknown","source":null,"at":null,"reason":null,"revokedAt":null,"sources":[]},"renewal":null,"posture":null,"trustStoreHash":"roots","lastSeen":null}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', '8d7a92438816983a99e6bbd053881762', 1768435200000, 'a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84', '{"judgedAt":1768435200000,"observedAt":1768435200000,"reached":true,"failure":null,"addresses":[{"address":"192.0.2.1","family":4,"fingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","notAfter":1768867200000,"tlsVersion":"TLSv1.3","group":"X25519","durationMs":20,"failure":null}],"leafFingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","limiting":null,"findings":[],"trusted":true,"path":[],"chainToServe":null,"hasOwnRoot":false,"revocation":{"state":"unknown","source":null,"at":null,"reason":null,"revokedAt":null,"sources":[]},"renewal":{"from":1766275200000,"to":1768867200000,"source":"lifetime","explanationUrl":null,"overdueAt":1766923200000},"posture":null,"trustStoreHash":"roots","lastSeen":{"at":1768435200000,"leafFingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","expiring":[{"fingerprint":"a0ca0b6f0b585354232af183447d744cf1f0b768212ea64463faaa29e8af5e84","notBefore":1761091200000,"notAfter":1768867200000,"role":"leaf","name":"alice.example","renewalWindow":null}],"findings":[],"revoked":[],"turns":[]}}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', 'f442d1fb-38fd-4686-8c53-8fb0067ddf72', 'ac7e49aa2fb90b93281c15e6a85fcfe7', 1768521600000, NULL, '{"judgedAt":1768521600000,"observedAt":1768521600000,"reached":false,"failure":{"stage":"connect","reason":"refused","detail":null},"addresses":[{"address":"192.0.2.1","family":4,"fingerprint":null,"notAfter":null,"tlsVersion":null,"group":null,"durationMs":20,"failure":{"stage":"connect","reason":"refused"}}],"leafFingerprint":null,"limiting":null,"findings":[],"trusted":false,"path":[],"chainToServe":null,"hasOwnRoot":false,"revocation":{"state":"unknown","source":null,"at":null,"reason":null,"revokedAt":null,"sources":[]},"renewal":null,"posture":null,"trustStoreHash":"roots","lastSeen":null}'),
  ('89456c9f-7b53-4bab-962e-9987da5c8d5a', '1a8db18a-14c0-4a30-a38b-ce283da0e4f7', '4ae8cd29dd06068a2953f44adf0df211', 1768521600000, '32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f', '{"judgedAt":1768521600000,"observedAt":1768521600000,"reached":true,"failure":null,"addresses":[{"address":"192.0.2.1","family":4,"fingerprint":"32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f","notAfter":1768953600000,"tlsVersion":"TLSv1.3","group":"X25519","durationMs":20,"failure":null}],"leafFingerprint":"32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f","limiting":null,"findings":[],"trusted":true,"path":[],"chainToServe":null,"hasOwnRoot":false,"revocation":{"state":"unknown","source":null,"at":null,"reason":null,"revokedAt":null,"sources":[]},"renewal":{"from":1768608000000,"to":1768953600000,"source":"lifetime","explanationUrl":null,"overdueAt":1768780800000},"posture":null,"trustStoreHash":"roots","lastSeen":{"at":1768521600000,"leafFingerprint":"32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f","expiring":[{"fingerprint":"32a7123b79f34aae2ae9bdd4061f9ac8006c401553b7906c5d7f720e20d7552f","notBefore":1768262400000,"notAfter":1768953600000,"role":"leaf","name":"www.example.org","renewalWindow":null}],"findings":[],"revoked":[],"turns":[]}}');
INSERT INTO public.verification VALUES ('bob', 'reset-password:bob', 'bob at the provider', '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00'),
  ('alice', 'reset-password:alice', 'alice at the provider', '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00', '2026-01-15 00:00:00+00');
ALTER TABLE ONLY public.account ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_email_key UNIQUE (email);
ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alarms ADD CONSTRAINT alarms_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.alerts ADD CONSTRAINT alerts_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.api_tokens ADD CONSTRAINT api_tokens_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.api_tokens ADD CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.authorities ADD CONSTRAINT authorities_once UNIQUE (account_id, fingerprint);
ALTER TABLE ONLY public.authorities ADD CONSTRAINT authorities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.badges ADD CONSTRAINT badges_key PRIMARY KEY (account_id, monitor_id);
ALTER TABLE ONLY public.badges ADD CONSTRAINT badges_token_key UNIQUE (token);
ALTER TABLE ONLY public.calendar_feeds ADD CONSTRAINT calendar_feeds_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.calendar_feeds ADD CONSTRAINT calendar_feeds_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.certificates ADD CONSTRAINT certificates_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY public.channels ADD CONSTRAINT channels_confirm_hash_key UNIQUE (confirm_hash);
ALTER TABLE ONLY public.channels ADD CONSTRAINT channels_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.check_runs ADD CONSTRAINT check_runs_key PRIMARY KEY (account_id, monitor_id, number);
ALTER TABLE ONLY public.deliveries ADD CONSTRAINT deliveries_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.deliveries ADD CONSTRAINT deliveries_once UNIQUE (account_id, dedupe_key);
ALTER TABLE ONLY public.delivery_attempts ADD CONSTRAINT delivery_attempts_key PRIMARY KEY (account_id, delivery_id, attempt);
ALTER TABLE ONLY public.evidence ADD CONSTRAINT evidence_key PRIMARY KEY (account_id, monitor_id, id);
ALTER TABLE ONLY public.favicons ADD CONSTRAINT favicons_key PRIMARY KEY (host, port);
ALTER TABLE ONLY public.feedback ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.glances ADD CONSTRAINT glances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys ADD CONSTRAINT idempotency_keys_key PRIMARY KEY (account_id, key_hash);
ALTER TABLE ONLY public.identities ADD CONSTRAINT identities_key PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.incidents ADD CONSTRAINT incidents_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.jwks ADD CONSTRAINT jwks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.mails ADD CONSTRAINT mails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.maintenance_windows ADD CONSTRAINT maintenance_windows_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.monitor_certificates ADD CONSTRAINT monitor_certificates_once PRIMARY KEY (account_id, monitor_id, fingerprint);
ALTER TABLE ONLY public.monitor_days ADD CONSTRAINT monitor_days_key PRIMARY KEY (account_id, monitor_id, day_at);
ALTER TABLE ONLY public.monitor_listing ADD CONSTRAINT monitor_listing_key PRIMARY KEY (account_id, monitor_id);
ALTER TABLE ONLY public.monitor_states ADD CONSTRAINT monitor_states_key PRIMARY KEY (account_id, monitor_id);
ALTER TABLE ONLY public.monitor_totals ADD CONSTRAINT monitor_totals_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.monitors ADD CONSTRAINT monitors_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.monitors ADD CONSTRAINT monitors_once UNIQUE (account_id, host, port);
ALTER TABLE ONLY public.passkey ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_events ADD CONSTRAINT payment_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_limits ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.session ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.session ADD CONSTRAINT session_token_key UNIQUE (token);
ALTER TABLE ONLY public.sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.status_page_domains ADD CONSTRAINT status_page_domains_key PRIMARY KEY (account_id, monitor_id);
ALTER TABLE ONLY public.status_pages ADD CONSTRAINT status_pages_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.status_pages ADD CONSTRAINT status_pages_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.subscriptions ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.suppressions ADD CONSTRAINT suppressions_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.trials ADD CONSTRAINT trials_pkey PRIMARY KEY (address_hash);
ALTER TABLE ONLY public."twoFactor" ADD CONSTRAINT "twoFactor_pkey" PRIMARY KEY (id);
ALTER TABLE ONLY public.unsubscriptions ADD CONSTRAINT unsubscriptions_key PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public."user" ADD CONSTRAINT user_email_key UNIQUE (email);
ALTER TABLE ONLY public."user" ADD CONSTRAINT user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.verdicts ADD CONSTRAINT verdicts_key PRIMARY KEY (account_id, monitor_id, id);
ALTER TABLE ONLY public.verification ADD CONSTRAINT verification_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX "account_providerId_accountId_idx" ON public.account USING btree ("providerId", "accountId");
CREATE INDEX "account_userId_idx" ON public.account USING btree ("userId");
CREATE INDEX accounts_digest ON public.accounts USING btree (digest_next_at) WHERE (digest_next_at IS NOT NULL);
CREATE UNIQUE INDEX accounts_paddle ON public.accounts USING btree (paddle_id) WHERE (paddle_id <> ''::text);
CREATE INDEX accounts_plan_end ON public.accounts USING btree (plan_ends_at) WHERE (plan_ends_at IS NOT NULL);
CREATE INDEX alerts_account ON public.alerts USING btree (account_id, created_at);
CREATE INDEX alerts_monitor ON public.alerts USING btree (account_id, monitor_id, created_at);
CREATE UNIQUE INDEX alerts_once ON public.alerts USING btree (account_id, incident_id, step);
CREATE INDEX channels_account ON public.channels USING btree (account_id);
CREATE INDEX deliveries_account ON public.deliveries USING btree (account_id, created_at);
CREATE INDEX deliveries_alert ON public.deliveries USING btree (account_id, alert_id);
CREATE INDEX deliveries_channel ON public.deliveries USING btree (channel_id, created_at);
CREATE INDEX deliveries_due ON public.deliveries USING btree (next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_id ON public.deliveries USING btree (id);
CREATE INDEX deliveries_incident ON public.deliveries USING btree (account_id, incident_id, channel_key);
CREATE INDEX deliveries_leased ON public.deliveries USING btree (account_id, channel_id) WHERE (lease_token IS NOT NULL);
CREATE INDEX favicons_due ON public.favicons USING btree (next_fetch_at);
CREATE INDEX feedback_account ON public.feedback USING btree (account_id);
CREATE INDEX glances_age ON public.glances USING btree (created_at);
CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);
CREATE INDEX identities_account ON public.identities USING btree (account_id);
CREATE INDEX incidents_of_monitor ON public.incidents USING btree (account_id, monitor_id, started_at);
CREATE UNIQUE INDEX incidents_open ON public.incidents USING btree (account_id, monitor_id, problem, fingerprint) WHERE (ended_at IS NULL);
CREATE INDEX mails_account ON public.mails USING btree (account_id, created_at);
CREATE INDEX mails_due ON public.mails USING btree (next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX maintenance_windows_monitor ON public.maintenance_windows USING btree (account_id, monitor_id);
CREATE INDEX monitor_certificates_fingerprint ON public.monitor_certificates USING btree (fingerprint);
CREATE INDEX monitor_listing_long_texts ON public.monitor_listing USING btree (account_id, monitor_id) WHERE (length(search_text) > 200);
CREATE INDEX monitor_listing_many_tags ON public.monitor_listing USING btree (account_id, monitor_id) WHERE (length(tags) > 200);
CREATE INDEX monitor_listing_names ON public.monitor_listing USING btree (account_id, host, port, monitor_id);
CREATE INDEX monitor_listing_newest ON public.monitor_listing USING btree (account_id, created_at, monitor_id);
CREATE INDEX monitor_listing_on_schedule ON public.monitor_listing USING btree (account_id, on_schedule_until, phase, not_after) WHERE (on_schedule_until IS NOT NULL);
CREATE INDEX monitor_listing_phases ON public.monitor_listing USING btree (account_id, phase, not_after, monitor_id);
CREATE INDEX monitor_listing_soonest ON public.monitor_listing USING btree (account_id, not_after, monitor_id);
CREATE INDEX monitor_listing_tags ON public.monitor_listing USING btree (account_id, tags) WHERE ((tags <> '[]'::text) AND (length(tags) <= 200));
CREATE INDEX monitor_listing_texts ON public.monitor_listing USING btree (account_id, search_text, tags, phase, not_after, trouble, created_at, host, port, monitor_id) WHERE (length(search_text) <= 200);
CREATE INDEX monitor_listing_trouble ON public.monitor_listing USING btree (account_id, host, port, monitor_id) WHERE (trouble > 0);
CREATE INDEX monitors_certificate ON public.monitors USING btree (certificate_fingerprint);
CREATE INDEX monitors_due ON public.monitors USING btree (lane, next_check_at) WHERE (active = 1);
CREATE INDEX monitors_site ON public.monitors USING btree (host, port);
CREATE UNIQUE INDEX "passkey_credentialID_idx" ON public.passkey USING btree ("credentialID");
CREATE INDEX "passkey_userId_idx" ON public.passkey USING btree ("userId");
CREATE INDEX payment_events_account ON public.payment_events USING btree (account_id);
CREATE INDEX payment_events_age ON public.payment_events USING btree (received_at);
CREATE INDEX payment_events_early_refund ON public.payment_events USING btree (refund_of) WHERE (refund_of IS NOT NULL);
CREATE INDEX "session_userId_idx" ON public.session USING btree ("userId");
CREATE INDEX sessions_account ON public.sessions USING btree (account_id);
CREATE INDEX subscriptions_account ON public.subscriptions USING btree (account_id);
CREATE INDEX trials_account ON public.trials USING btree (account_id);
CREATE INDEX "twoFactor_secret_idx" ON public."twoFactor" USING btree (secret);
CREATE INDEX "twoFactor_userId_idx" ON public."twoFactor" USING btree ("userId");
CREATE INDEX unsubscriptions_monitor ON public.unsubscriptions USING btree (account_id, monitor_id);
CREATE INDEX verification_identifier_idx ON public.verification USING btree (identifier);
CREATE TRIGGER monitor_added AFTER INSERT ON public.monitors REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.monitor_added();
CREATE TRIGGER monitor_listed AFTER INSERT ON public.monitors FOR EACH ROW EXECUTE FUNCTION public.monitor_listed();
CREATE TRIGGER monitor_relisted AFTER UPDATE OF paused_by, checked, not_after, revoked, uptime, problem, tags, search_text ON public.monitors FOR EACH ROW WHEN (((old.paused_by IS DISTINCT FROM new.paused_by) OR (old.checked IS DISTINCT FROM new.checked) OR (old.not_after IS DISTINCT FROM new.not_after) OR (old.revoked IS DISTINCT FROM new.revoked) OR (old.uptime IS DISTINCT FROM new.uptime) OR (old.problem IS DISTINCT FROM new.problem) OR (old.tags IS DISTINCT FROM new.tags) OR (old.search_text IS DISTINCT FROM new.search_text))) EXECUTE FUNCTION public.monitor_relisted();
CREATE TRIGGER monitor_removed AFTER DELETE ON public.monitors REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.monitor_removed();
CREATE TRIGGER monitor_scheduled AFTER UPDATE OF on_schedule_until ON public.monitors FOR EACH ROW WHEN ((old.on_schedule_until IS DISTINCT FROM new.on_schedule_until)) EXECUTE FUNCTION public.monitor_scheduled();
ALTER TABLE ONLY public.account ADD CONSTRAINT "account_userId_fkey" FOREIGN KEY ("userId") REFERENCES public."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alerts ADD CONSTRAINT alerts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alerts ADD CONSTRAINT alerts_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES public.incidents(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alerts ADD CONSTRAINT alerts_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_tokens ADD CONSTRAINT api_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.authorities ADD CONSTRAINT authorities_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.badges ADD CONSTRAINT badges_monitor FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.calendar_feeds ADD CONSTRAINT calendar_feeds_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.channels ADD CONSTRAINT channels_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.check_runs ADD CONSTRAINT check_runs_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries ADD CONSTRAINT deliveries_account_id_alert_id_fkey FOREIGN KEY (account_id, alert_id) REFERENCES public.alerts(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries ADD CONSTRAINT deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries ADD CONSTRAINT deliveries_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES public.incidents(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries ADD CONSTRAINT deliveries_channel_id_fkey1 FOREIGN KEY (channel_id) REFERENCES public.channels(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.delivery_attempts ADD CONSTRAINT delivery_attempts_account_id_delivery_id_fkey FOREIGN KEY (account_id, delivery_id) REFERENCES public.deliveries(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evidence ADD CONSTRAINT evidence_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.feedback ADD CONSTRAINT feedback_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency_keys ADD CONSTRAINT idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identities ADD CONSTRAINT identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.incidents ADD CONSTRAINT incidents_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mails ADD CONSTRAINT mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.maintenance_windows ADD CONSTRAINT maintenance_windows_account_id_fkey1 FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.maintenance_windows ADD CONSTRAINT maintenance_windows_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitor_certificates ADD CONSTRAINT monitor_certificates_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitor_certificates ADD CONSTRAINT monitor_certificates_fingerprint_fkey1 FOREIGN KEY (fingerprint) REFERENCES public.certificates(fingerprint);
ALTER TABLE ONLY public.monitor_days ADD CONSTRAINT monitor_days_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitor_listing ADD CONSTRAINT monitor_listing_monitor FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitor_states ADD CONSTRAINT monitor_states_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitor_totals ADD CONSTRAINT monitor_totals_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitors ADD CONSTRAINT monitors_account_id_fkey1 FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.monitors ADD CONSTRAINT monitors_certificate_fingerprint_fkey1 FOREIGN KEY (certificate_fingerprint) REFERENCES public.certificates(fingerprint);
ALTER TABLE ONLY public.passkey ADD CONSTRAINT "passkey_userId_fkey" FOREIGN KEY ("userId") REFERENCES public."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.payment_events ADD CONSTRAINT payment_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.session ADD CONSTRAINT "session_userId_fkey" FOREIGN KEY ("userId") REFERENCES public."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.status_page_domains ADD CONSTRAINT status_page_domains_monitor FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.status_page_domains ADD CONSTRAINT status_page_domains_page FOREIGN KEY (account_id) REFERENCES public.status_pages(account_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.status_pages ADD CONSTRAINT status_pages_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subscriptions ADD CONSTRAINT subscriptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.trials ADD CONSTRAINT trials_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE SET NULL;
ALTER TABLE ONLY public."twoFactor" ADD CONSTRAINT "twoFactor_userId_fkey" FOREIGN KEY ("userId") REFERENCES public."user"(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.unsubscriptions ADD CONSTRAINT unsubscriptions_account_id_fkey1 FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.unsubscriptions ADD CONSTRAINT unsubscriptions_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.verdicts ADD CONSTRAINT verdicts_account_id_monitor_id_fkey FOREIGN KEY (account_id, monitor_id) REFERENCES public.monitors(account_id, id) ON DELETE CASCADE;
commit;
