interface Report {
  to: string;
  action?: string;
  status?: string;
  recipient?: string;
  diagnostic?: string;
}

/** Returns the delivery report that Postfix sends when a mail that it had accepted bounces. */
export function postfixReport({
  to,
  action = 'failed',
  status = '5.1.1',
  recipient = 'alice@fjord.example',
  diagnostic = 'smtp; 550 5.1.1 <alice@fjord.example>: Recipient address rejected:\n    User unknown',
}: Report): string {
  return `Return-Path: <>
Delivered-To: ${to}
Date: Sat, 21 Nov 2026 12:00:00 +0000
From: MAILER-DAEMON@relay.example (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: ${to}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="7F0A.1795262400/relay.example"

This is a MIME-encapsulated message.

--7F0A.1795262400/relay.example
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host relay.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.

--7F0A.1795262400/relay.example
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example
Arrival-Date: Sat, 21 Nov 2026 11:59:00 +0000

Final-Recipient: rfc822; ${recipient}
Original-Recipient: rfc822;${recipient}
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.fjord.example
Diagnostic-Code: ${diagnostic}

--7F0A.1795262400/relay.example
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

From: Certlantern <alerts@certlantern.example>
To: alice@fjord.example
Subject: pay.fjord.example expires in 2 days

--7F0A.1795262400/relay.example--
`;
}

export function outOfOffice(to: string): string {
  return `From: Alice <alice@fjord.example>
To: ${to}
Subject: Automatic reply: pay.fjord.example expires in 2 days
Auto-Submitted: auto-replied
Content-Type: text/plain

I am away. Status: 5.1.1
Action: failed
`;
}
