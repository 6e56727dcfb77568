import { createHmac, createPrivateKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Tls13Client } from './client.ts';
import { type EphemeralKey, sharedSecret } from './ephemeral-key.ts';
import { CIPHER_SUITES, type CipherSuite, hmac, KeySchedule, type TrafficSecrets } from './key-schedule.ts';
import { RecordCipher } from './record-layer.ts';

// The trace “Simple 1-RTT Handshake” of RFC 8448 §3. Its values are the RFC's, byte for byte.

const bytes = (...lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'hex');

const CLIENT_PRIVATE = bytes('49af42ba7f7994852d713ef2784bcbcaa7911de26adc5642cb634540e7ea5005');
const CLIENT_HELLO = bytes(
  '010000c00303cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece700000613011303130201',
  '0000910000000b0009000006736572766572ff01000100000a00140012001d0017001800190100010101020103010400',
  '230000003300260024001d002099381de560e4bd43d23d8e435a7dbafeb3c06e51c13cae4d5413691e529aaf2c002b00',
  '03020304000d0020001e040305030603020308040805080604010501060102010402050206020202002d00020101001c',
  '00024001',
);
const SERVER_HELLO_RECORD = bytes(
  '160303005a020000560303a6af06a4121860dc5e6e60249cd34c95930c8ac5cb1434dac155772ed3e269280013010000',
  '2e00330024001d0020c9828876112095fe66762bdbf7c672e156d6cc253b833df1dd69b1b04e751f0f002b00020304',
);
const SERVER_FLIGHT_RECORD = bytes(
  '17030302a2d1ff334a56f5bff6594a07cc87b580233f500f45e489e7f33af35edf7869fcf40aa40aa2b8ea73f848a7ca',
  '07612ef9f945cb960b4068905123ea78b111b429ba9191cd05d2a389280f526134aadc7fc78c4b729df828b5ecf7b13b',
  'd9aefb0e57f271585b8ea9bb355c7c79020716cfb9b1183ef3ab20e37d57a6b9d7477609aee6e122a4cf51427325250c',
  '7d0e509289444c9b3a648f1d71035d2ed65b0e3cdd0cbae8bf2d0b227812cbb360987255cc744110c453baa4fcd61092',
  '8d809810e4b7ed1a8fd991f06aa6248204797e36a6a73b70a2559c09ead686945ba246ab66e5edd8044b4c6de3fcf2a8',
  '9441ac66272fd8fb330ef8190579b3684596c960bd596eea520a56a8d650f563aad27409960dca63d3e688611ea5e22f',
  '4415cf9538d51a200c27034272968a264ed6540c84838d89f72c24461aad6d26f59ecaba9acbbb317b66d902f4f292a3',
  '6ac1b639c637ce343117b659622245317b49eeda0c6258f100d7d961ffb138647e92ea330faeea6dfa31c7a84dc3bd7e',
  '1b7a6c7178af36879018e3f252107f243d243dc7339d5684c8b0378bf30244da8c87c843f5e56eb4c5e8280a2b48052c',
  'f93b16499a66db7cca71e4599426f7d461e66f99882bd89fc50800becca62d6c74116dbd2972fda1fa80f85df881edbe',
  '5a37668936b335583b599186dc5c6918a396fa48a181d6b6fa4f9d62d513afbb992f2b992f67f8afe67f76913fa388cb',
  '5630c8ca01e0c65d11c66a1e2ac4c85977b7c7a6999bbf10dc35ae69f5515614636c0b9b68c19ed2e31c0b3b66763038',
  'ebba42f3b38edc0399f3a9f23faa63978c317fc9fa66a73f60f0504de93b5b845e275592c12335ee340bbc4fddd50278',
  '4016e4b3be7ef04dda49f4b440a30cb5d2af939828fd4ae3794e44f94df5a631ede42c1719bfdabf0253fe5175be898e',
  '750edc53370d2b',
);
/** The content of that record: EncryptedExtensions, Certificate, CertificateVerify and Finished. */
const SERVER_FLIGHT = bytes(
  '080000240022000a00140012001d00170018001901000101010201030104001c00024001000000000b0001b9000001b5',
  '0001b0308201ac30820115a003020102020102300d06092a864886f70d01010b0500300e310c300a0603550403130372',
  '7361301e170d3136303733303031323335395a170d3236303733303031323335395a300e310c300a0603550403130372',
  '736130819f300d06092a864886f70d010101050003818d0030818902818100b4bb498f8279303d980836399b36c6988c',
  '0c68de55e1bdb826d3901a2461eafd2de49a91d015abbc9a95137ace6c1af19eaa6af98c7ced43120998e187a80ee0cc',
  'b0524b1b018c3e0b63264d449a6d38e22a5fda430846748030530ef0461c8ca9d9efbfae8ea6d1d03e2bd193eff0ab9a',
  '8002c47428a6d35a8d88d79f7f1e3f0203010001a31a301830090603551d1304023000300b0603551d0f0404030205a0',
  '300d06092a864886f70d01010b05000381810085aad2a0e5b9276b908c65f73a7267170618a54c5f8a7b337d2df7a594',
  '365417f2eae8f8a58c8f8172f9319cf36b7fd6c55b80f21a03015156726096fd335e5e67f2dbf102702e608ccae6bec1',
  'fc63a42a99be5c3eb7107c3c54e9b9eb2bd5203b1c3b84e0a8b2f759409ba3eac9d91d402dcc0cc8f8961229ac9187b4',
  '2b4de100000f000084080400805a747c5d88fa9bd2e55ab085a61015b7211f824cd484145ab3ff52f1fda8477b0b7abc',
  '90db78e2d33a5c141a078653fa6bef780c5ea248eeaaa785c4f394cab6d30bbe8d4859ee511f602957b15411ac027671',
  '459e46445c9ea58c181e818e95b8c3fb0bf3278409d3be152a3da5043e063dda65cdf5aea20d53dfacd42f74f3140000',
  '209b9b141d906337fbd2cbdce71df4deda4ab42c309572cb7fffee5454b78f0718',
);
const CLIENT_FINISHED_RECORD = bytes(
  '170303003575ec4dc238cce60b298044a71e219c56cc77b0517fe9b93c7a4bfc44d87f38f80338ac98fc46deb384bd1c',
  'aeacab6867d726c40546',
);
const TICKET_RECORD = bytes(
  '17030300de3a6b8f90414a97d6959c3487680de5134a2b240e6cffac116e95d41d6af8f6b580dcf3d11d63c758db289a',
  '015940252f55713e061dc13e078891a38efbcf5753ad8ef170ad3c7353d16d9da773b9ca7f2b9fa1b6c0d4a3d03f75e0',
  '9c30ba1e62972ac46f75f7b981be63439b2999ce13064615139891d5e4c5b406f16e3fc181a77ca475840025db2f0a77',
  'f81b5ab05b94c01346755f69232c86519d86cbeeac87aac347d143f9605d64f650db4d023e70e952ca49fe5137121c74',
  'bc2697687e248746d6df353005f3bce18696129c8153556b3b6c6779b37bf15985684f',
);
const CLIENT_DATA_RECORD = bytes(
  '1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b',
  '62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4',
);
const SERVER_DATA_RECORD = bytes(
  '17030300432e937e11ef4ac740e538ad36005fc4a46932fc3225d05f82aa1b36e30efaf97d90e6dffc602dcb501a59a8',
  'fcc49c4bf2e5f0a21c0047c2abf332540dd032e167c2955d',
);
const CLIENT_ALERT_RECORD = bytes('1703030013c9872760655666b74d7ff1153efd6db6d0b0e3');
const SERVER_ALERT_RECORD = bytes('1703030013b58fd67166ebf599d24720cfbe7efa7a8864a9');
/** The numbers from 0 to 49, which both sides send. */
const DATA = Buffer.from(Array.from({ length: 50 }, (_, index) => index));

/** What the ClientHello of the trace offers. */
const OFFER = {
  sessionId: Buffer.alloc(0),
  ciphers: [0x1301, 0x1303, 0x1302],
  signatures: [0x0403, 0x0503, 0x0603, 0x0203, 0x0804, 0x0805, 0x0806, 0x0401],
  extensions: [0, 0xff01, 10, 35, 51, 43, 13, 45, 28],
  alpn: [],
};

const PKCS8_PREFIX = bytes('302e020100300506032b656e04220420');
const KEY: EphemeralKey = {
  privateKey: createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, CLIENT_PRIVATE]),
    format: 'der',
    type: 'pkcs8',
  }),
  share: bytes('99381de560e4bd43d23d8e435a7dbafeb3c06e51c13cae4d5413691e529aaf2c'),
};
const SERVER_HELLO = SERVER_HELLO_RECORD.subarray(5);
const SHARED = sharedSecret(KEY, SERVER_HELLO.subarray(52, 84));

function suiteOf(cipher: number): CipherSuite {
  const suite = CIPHER_SUITES.get(cipher);
  if (suite === undefined) throw new Error('unknown cipher suite');
  return suite;
}

/** The traffic secret of one side, with its key and IV. */
const side = (secret: string, key: string, iv: string) => ({
  secret: bytes(secret),
  key: bytes(key),
  iv: bytes(iv),
});
const withKeys = (schedule: KeySchedule, { client, server }: TrafficSecrets) => ({
  client: { secret: client, ...schedule.keysOf(client) },
  server: { secret: server, ...schedule.keysOf(server) },
});

describe('The trace of RFC 8448 §3', () => {
  it('contains the secrets and keys that our key schedule derives', () => {
    const schedule = new KeySchedule(suiteOf(0x1301));
    expect(SHARED).toEqual(bytes('8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d'));
    const hash = schedule.transcriptHash([CLIENT_HELLO, SERVER_HELLO]);
    expect(hash).toEqual(bytes('860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8'));
    const handshake = schedule.handshakeSecrets(SHARED, hash);
    expect(withKeys(schedule, handshake)).toEqual({
      client: side(
        'b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21',
        'dbfaa693d1762c5b666af5d950258d01',
        '5bd3c71b836e0b76bb73265f',
      ),
      server: side(
        'b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38',
        '3fce516009c21727d0f2e4e86ee403bc',
        '5d313eb2671276ee13000b30',
      ),
    });
    const toFinished = [CLIENT_HELLO, SERVER_HELLO, SERVER_FLIGHT.subarray(0, -36)];
    expect(schedule.verifyData(handshake.server, schedule.transcriptHash(toFinished))).toEqual(
      SERVER_FLIGHT.subarray(-32),
    );
    const whole = schedule.transcriptHash([CLIENT_HELLO, SERVER_HELLO, SERVER_FLIGHT]);
    expect(schedule.verifyData(handshake.client, whole)).toEqual(
      bytes('a8ec436d677634ae525ac1fcebe11a039ec17694fac6e98527b642f2edd5ce61'),
    );
    expect(withKeys(schedule, schedule.applicationSecrets(whole))).toEqual({
      client: side(
        '9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5',
        '17422dda596ed5d9acd890e3c63f5051',
        '5b78923dee08579033e523d9',
      ),
      server: side(
        'a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643',
        '9f02283b6c9c07efc26bb9f2ac92e356',
        'cf782b88dd83549aadf1e984',
      ),
    });
  });

  it('has a server flight that we decrypt to the messages of the RFC', () => {
    const keys = { key: bytes('3fce516009c21727d0f2e4e86ee403bc'), iv: bytes('5d313eb2671276ee13000b30') };
    const [header, body] = [SERVER_FLIGHT_RECORD.subarray(0, 5), SERVER_FLIGHT_RECORD.subarray(5)];
    const cipher = new RecordCipher(suiteOf(0x1301), keys);
    expect(cipher.open({ type: 23, header, body })).toEqual({ type: 22, content: SERVER_FLIGHT });
  });

  it.each([1, 7, 4_096])('leads our client to the end of the handshake in chunks of %i bytes', (size) => {
    const client = new Tls13Client(CLIENT_HELLO, OFFER, KEY);
    const receive = (all: Buffer): Buffer[] => {
      const data: Buffer[] = [];
      for (let at = 0; at < all.length; at += size) data.push(...client.push(all.subarray(at, at + size)));
      return data;
    };
    expect(receive(SERVER_HELLO_RECORD)).toEqual([]);
    expect(client.proof).toBeNull();
    expect(receive(SERVER_FLIGHT_RECORD)).toEqual([]);
    expect(client.proof).toMatchObject({ cipher: 'TLS_AES_128_GCM_SHA256', alpn: null, staple: null });
    expect(client.proof?.chain.map((der) => der.length)).toEqual([432]);
    expect(client.secondFlight).toEqual(CLIENT_FINISHED_RECORD);
    expect(receive(TICKET_RECORD)).toEqual([]);
    expect(client.seal(DATA)).toEqual(CLIENT_DATA_RECORD);
    expect(receive(SERVER_DATA_RECORD)).toEqual([DATA]);
    expect(client.closeNotify()).toEqual(CLIENT_ALERT_RECORD);
    expect(client.hasEnded).toBe(false);
    receive(SERVER_ALERT_RECORD);
    expect(client.hasEnded).toBe(true);
  });

  it('is refused by our client if one bit of a record is wrong', () => {
    for (const at of [5, 300, SERVER_FLIGHT_RECORD.length - 1]) {
      const wrong = Buffer.from(SERVER_FLIGHT_RECORD);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      const client = new Tls13Client(CLIENT_HELLO, OFFER, KEY);
      client.push(SERVER_HELLO_RECORD);
      expect(() => client.push(wrong)).toThrow('invalid: tag of a record');
      expect(client.proof).toBeNull();
    }
  });
});

describe('The HMAC of the key schedule', () => {
  it.each(['sha256', 'sha384'] as const)('equals that of OpenSSL for %s', (name) => {
    const block = name === 'sha256' ? 64 : 128;
    for (let length = 0; length <= block; length++) {
      const [key, data] = [randomBytes(length), randomBytes(3 * length)];
      expect(hmac(name, key, data)).toEqual(createHmac(name, key).update(data).digest());
    }
  });
});
