import { type Kysely, sql } from 'kysely';

/**
 * Stores why clients refuse the certificate of a monitor, and those that only other addresses of it serve, so that lists can filter by it.
 * Takes it from the results of the last check. The next check by this version stores what these do not tell.
 */
export async function addCertificateProblems(db: Kysely<unknown>): Promise<void> {
  await sql`alter table monitors add column certificate_problem text`.execute(db);
  await sql`alter table other_leaves add column problem text`.execute(db);
  await sql`update monitors set certificate_problem = case
      when revoked = 1 then 'revoked'
      when exists (select 1 from monitor_states inner join verdicts on verdicts.account_id = monitor_states.account_id
        and verdicts.monitor_id = monitor_states.monitor_id and verdicts.id = monitor_states.verdict_id
        where monitor_states.account_id = monitors.account_id and monitor_states.monitor_id = monitors.id
        and verdicts.verdict like '%"name_mismatch"%') then 'wrong_name'
      else 'untrusted' end
    where certificate_fingerprint is not null and not_after is not null and (revoked = 1 or problem = 'untrusted')`.execute(
    db,
  );
  await sql`create index monitors_certificate_problems on monitors (account_id, certificate_problem, certificate_fingerprint)
    where certificate_problem is not null`.execute(db);
}
