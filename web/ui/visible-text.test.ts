import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it.each([
  ['CN=git.orchard.example', 'CN=git.orchard.example'],
  ['O=Obstgärten GmbH, CN=مثال', 'O=Obstgärten GmbH, CN=مثال'],
  ['CN=moc.elpmaxe\u202Egro.elpmaxe', 'CN=moc.elpmaxe\\u202Egro.elpmaxe'],
  ['CN=pay\u200Bpal\u0000.example\n', 'CN=pay\\u200Bpal\\u0000.example\\u000A'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
])('visibleText shows %j as %j', (text, shown) => expect(visibleText(text)).toBe(shown));
