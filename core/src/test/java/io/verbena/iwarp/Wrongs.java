package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.readRequest;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.tagged;
import static io.verbena.iwarp.HandMade.untagged;
import static io.verbena.iwarp.HandMade.with;
import static io.verbena.iwarp.HandMade.write;
import static io.verbena.wire.TerminateCode.*;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.wire.AtomicOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.ImmediateData;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Everything that a peer can do wrong in RDMA mode, for {@link HostilePeerTest}. */
final class Wrongs {

    /** What the victim has posted: a receive, and a Read that is under way. */
    static final int RECEIVE_BYTES = 100;

    static final int READ_BYTES = 64;

    private static final int UNKNOWN_KEY = 0x1357_9bdf;

    /** What the peer sends before it is found out; it may also say what may change. */
    interface Script {
        void run(Victim v, Sink sink);
    }

    /** One segment that is wrong. */
    private interface Segment {
        byte[] of(Victim v, Sink sink);
    }

    /** A wrongdoing and the reason that it must get. */
    record Wrong(String name, TerminateCode code, Script script) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final List<Wrong> all = new ArrayList<>();

    static List<Wrong> all() {
        Wrongs wrongs = new Wrongs();
        wrongs.headers();
        wrongs.fixedLengths();
        wrongs.sends();
        wrongs.invalidates();
        wrongs.writes();
        wrongs.readRequests();
        wrongs.atomicRequests();
        wrongs.atomicAccess();
        wrongs.readResponses();
        wrongs.otherAnswers();
        return wrongs.all;
    }

    private void wrong(String name, TerminateCode code, Segment segment) {
        wrongs(name, code, (v, s) -> v.peer.add(segment.of(v, s)));
    }

    private void wrongs(String name, TerminateCode code, Script script) {
        all.add(new Wrong(name, code, script));
    }

    /** RFC 5040 section 7.2 [1, 2, 3], RFC 7306 section 8.2 [2, 3], RFC 5044 section C.1 [1]: faults in a header. */
    private void headers() {
        byte[] send = send(true, 1, 0, payload(10));
        wrong(
                "Write of DDP version 0",
                DDP_TAGGED_VERSION,
                (v, s) -> with(write(true, v.open.rkey(), v.open.baseAddress(), payload(8)), 0, 0xc0));
        wrong("Send of DDP version 2", DDP_UNTAGGED_VERSION, (v, s) -> with(send, 0, 0x42));
        wrong(
                "Read Request of DDP version 0",
                DDP_UNTAGGED_VERSION,
                (v, s) -> with(readRequest(1, 5, 0, 8, v.open.rkey(), v.open.baseAddress()), 0, 0x40));
        wrong("RDMAP version 0", RDMAP_VERSION, (v, s) -> with(send, 1, 0x03));
        wrong("RDMAP version 2", RDMAP_VERSION, (v, s) -> with(send, 1, 0x83));
        for (int opcode = 0xc; opcode <= 0xf; opcode++) {
            int control = 0x40 | opcode;
            wrong("untagged opcode " + opcode, RDMAP_UNEXPECTED_OPCODE, (v, s) -> with(send, 1, control));
            wrong(
                    "tagged opcode " + opcode,
                    RDMAP_UNEXPECTED_OPCODE,
                    (v, s) -> with(write(true, v.open.rkey(), v.open.baseAddress(), payload(8)), 1, control));
        }
        wrong(
                "Send that is tagged",
                RDMAP_UNEXPECTED_OPCODE,
                (v, s) -> tagged(RdmapOpcode.SEND, true, v.open.rkey(), v.open.baseAddress(), payload(8)));
        wrong(
                "Write that is untagged",
                RDMAP_UNEXPECTED_OPCODE,
                (v, s) -> untagged(RdmapOpcode.WRITE, true, 1, 0, payload(8)));
        for (int queue : new int[] {1, 2, 3, 4, 255}) {
            wrong("Send on queue " + queue, DDP_UNTAGGED_INVALID_QN, (v, s) -> with(send, 9, queue));
        }
        wrong("Send on queue 2^31", DDP_UNTAGGED_INVALID_QN, (v, s) -> with(send, 6, 0x80));
        wrong(
                "Read Request on queue 0",
                DDP_UNTAGGED_INVALID_QN,
                (v, s) -> with(readRequest(1, 5, 0, 8, v.open.rkey(), v.open.baseAddress()), 9, 0));
        wrong("Terminate on queue 0", DDP_UNTAGGED_INVALID_QN, (v, s) -> with(HandMade.terminate(RDMAP_VERSION), 9, 0));
    }

    private void fixedLengths() {
        Object[][] messages = {
            {RdmapOpcode.READ_REQUEST, ReadRequest.LENGTH}, {RdmapOpcode.IMMEDIATE, ImmediateData.LENGTH},
            {RdmapOpcode.IMMEDIATE_SE, ImmediateData.LENGTH}, {RdmapOpcode.ATOMIC_REQUEST, AtomicRequest.LENGTH},
            {RdmapOpcode.ATOMIC_RESPONSE, AtomicResponse.LENGTH},
        };
        for (Object[] message : messages) {
            RdmapOpcode opcode = (RdmapOpcode) message[0];
            int length = (int) message[1];
            // RFC 7306 section 6.3 [8], RFC 5040 section 4.2 [1]: exactly eight octets; likewise the others.
            wrong(
                    opcode.label() + " too long",
                    DDP_UNTAGGED_TOO_LONG,
                    (v, s) -> untagged(opcode, true, 1, 0, payload(length + 1)));
            wrong(
                    opcode.label() + " far too long",
                    DDP_UNTAGGED_TOO_LONG,
                    (v, s) -> untagged(opcode, true, 1, 0, payload(60_000)));
            wrong(
                    opcode.label() + " too short",
                    RDMAP_OPERATION_UNSPECIFIED,
                    (v, s) -> untagged(opcode, true, 1, 0, payload(length - 1)));
            wrong(opcode.label() + " empty", RDMAP_OPERATION_UNSPECIFIED, (v, s) -> untagged(opcode, true, 1, 0));
            wrong(
                    opcode.label() + " with more to come",
                    DDP_UNTAGGED_TOO_LONG,
                    (v, s) -> untagged(opcode, false, 1, 0, payload(length)));
        }
    }

    /** RFC 5041 section 7.1 [1, 2, 3, 4, 5]. */
    private void sends() {
        for (int msn : new int[] {0, 2, -1}) {
            wrong("Send " + msn + " is first", DDP_UNTAGGED_MSN_RANGE, (v, s) -> send(true, msn, 0, payload(10)));
        }
        wrong("Send with a gap at its start", DDP_UNTAGGED_INVALID_MO, (v, s) -> send(true, 1, 1, payload(10)));
        for (long offset : new long[] {0, 9, 11, 0xffff_fff6L}) {
            wrongs("Send that goes on at " + offset, DDP_UNTAGGED_INVALID_MO, (v, s) -> {
                v.expect(v.inbox, 0, payload(10));
                v.peer.add(send(false, 1, 0, payload(10)), send(true, 1, offset, payload(5)));
            });
        }
        wrongs("Send that begins before one has ended", DDP_UNTAGGED_MSN_RANGE, (v, s) -> {
            v.expect(v.inbox, 0, payload(10));
            v.peer.add(send(false, 1, 0, payload(10)), send(true, 2, 0, payload(5)));
        });
        wrongs("Send without a receive", DDP_UNTAGGED_NO_BUFFER, (v, s) -> {
            v.expect(v.inbox, 0, payload(10));
            v.peer.add(send(true, 1, 0, payload(10)), send(true, 2, 0, payload(10)));
        });
        wrongs(
                "empty Send without a receive",
                DDP_UNTAGGED_NO_BUFFER,
                (v, s) -> v.peer.add(send(true, 1, 0), send(true, 2, 0)));
        wrongs(
                "Immediate without a receive",
                DDP_UNTAGGED_NO_BUFFER,
                (v, s) -> v.peer.add(send(true, 1, 0), untagged(RdmapOpcode.IMMEDIATE, true, 2, 0, payload(8))));
        wrong(
                "Send longer than its receive",
                DDP_UNTAGGED_TOO_LONG,
                (v, s) -> send(true, 1, 0, payload(RECEIVE_BYTES + 1)));
        wrongs("Send that becomes longer than its receive", DDP_UNTAGGED_TOO_LONG, (v, s) -> {
            v.expect(v.inbox, 0, payload(RECEIVE_BYTES));
            v.peer.add(send(false, 1, 0, payload(RECEIVE_BYTES)), send(true, 1, RECEIVE_BYTES, payload(1)));
        });
        wrongs("Immediate inside a Send", DDP_UNTAGGED_INVALID_MO, (v, s) -> {
            v.expect(v.inbox, 0, payload(10));
            v.peer.add(send(false, 1, 0, payload(10)), untagged(RdmapOpcode.IMMEDIATE, true, 1, 0, payload(8)));
        });
        wrong(
                "Immediate with an offset",
                DDP_UNTAGGED_INVALID_MO,
                (v, s) -> untagged(RdmapOpcode.IMMEDIATE, true, 1, 4, payload(8)));
    }

    /** RFC 5040 sections 5.3 [10, 11] and 7.2 [4, 5]: what it carries has arrived, what it asks for is refused. */
    private void invalidates() {
        for (String key : new String[] {"an unknown key", "key 0", "a key of another domain", "a dead key"}) {
            wrongs("Send that invalidates " + key, RDMAP_CANNOT_INVALIDATE, (v, s) -> {
                v.expect(v.inbox, 0, payload(10));
                v.peer.add(HandMade.sendInvalidate(1, wrongKey(v, key), payload(10)));
            });
        }
    }

    private static int wrongKey(Victim v, String which) {
        return switch (which) {
            case "key 0" -> 0;
            case "a key of another domain" -> v.foreign.rkey();
            case "a dead key" -> {
                int key = v.readable.rkey();
                v.end.regions.invalidate(key, 1);
                yield key;
            }
            default -> UNKNOWN_KEY;
        };
    }

    /** RFC 5041 sections 4.2 [6], 7.1 [6, 7, 8, 9, 10] and 8.2 [1], RFC 5040 section 8.1.1 [1, 3]. */
    private void writes() {
        for (String key : new String[] {"an unknown key", "key 0", "a dead key"}) {
            wrong(
                    "Write by " + key,
                    DDP_TAGGED_INVALID_STAG,
                    (v, s) -> write(true, wrongKey(v, key), v.open.baseAddress(), payload(8)));
        }
        wrong(
                "Write to another domain",
                DDP_TAGGED_STAG_NOT_ASSOCIATED,
                (v, s) -> write(true, v.foreign.rkey(), v.foreign.baseAddress(), payload(8)));
        wrong(
                "Write without the right",
                RDMAP_ACCESS_RIGHTS,
                (v, s) -> write(true, v.readable.rkey(), v.readable.baseAddress(), payload(8)));
        wrong(
                "Write to local memory",
                RDMAP_ACCESS_RIGHTS,
                (v, s) -> write(true, v.inbox.rkey(), v.inbox.baseAddress(), payload(8)));
        long[] outside = {-1, -8, Victim.BYTES - 7, Victim.BYTES, Long.MIN_VALUE, -Victim.BYTES, 1L << 32};
        for (long offset : outside) {
            wrong(
                    "Write at " + offset,
                    DDP_TAGGED_BASE_OR_BOUNDS,
                    (v, s) -> write(true, v.open.rkey(), v.open.baseAddress() + offset, payload(8)));
        }
        for (int back = 1; back < 8; back += 3) {
            long to = -back;
            wrong(
                    "Write that wraps at -" + back,
                    DDP_TAGGED_TO_WRAP,
                    (v, s) -> write(true, v.open.rkey(), to, payload(8)));
        }
        wrong(
                "Write longer than the region",
                DDP_TAGGED_BASE_OR_BOUNDS,
                (v, s) -> write(true, v.open.rkey(), v.open.baseAddress(), payload(Victim.BYTES + 1)));
        wrongs("Write that continues outside", DDP_TAGGED_BASE_OR_BOUNDS, (v, s) -> {
            v.expect(v.open, Victim.BYTES - 8, payload(8));
            v.peer.add(
                    write(false, v.open.rkey(), v.open.baseAddress() + Victim.BYTES - 8, payload(8)),
                    write(true, v.open.rkey(), v.open.baseAddress() + Victim.BYTES, payload(1)));
        });
    }

    /** RFC 5040 section 7.2 [6, 9, 10, 11, 12, 13]. */
    private void readRequests() {
        for (String key : new String[] {"an unknown key", "key 0", "a dead key"}) {
            wrong(
                    "Read by " + key,
                    RDMAP_INVALID_STAG,
                    (v, s) -> readRequest(1, 5, 0, 8, wrongKey(v, key), v.readable.baseAddress()));
        }
        wrong(
                "Read of another domain",
                RDMAP_STAG_NOT_ASSOCIATED,
                (v, s) -> readRequest(1, 5, 0, 8, v.foreign.rkey(), v.foreign.baseAddress()));
        wrong(
                "Read without the right",
                RDMAP_ACCESS_RIGHTS,
                (v, s) -> readRequest(1, 5, 0, 8, v.inbox.rkey(), v.inbox.baseAddress()));
        for (long offset : new long[] {-1, Victim.BYTES - 7, Victim.BYTES, Long.MIN_VALUE}) {
            wrong(
                    "Read at " + offset,
                    RDMAP_BASE_OR_BOUNDS,
                    (v, s) -> readRequest(1, 5, 0, 8, v.open.rkey(), v.open.baseAddress() + offset));
        }
        for (long size : new long[] {Victim.BYTES + 1, Integer.MAX_VALUE, 1L << 31, 0xffff_ffffL}) {
            wrong(
                    "Read of " + size,
                    RDMAP_BASE_OR_BOUNDS,
                    (v, s) -> readRequest(1, 5, 0, size, v.open.rkey(), v.open.baseAddress()));
        }
        wrong("Read that wraps", RDMAP_TO_WRAP, (v, s) -> readRequest(1, 5, 0, 8, v.open.rkey(), -7));
        wrong(
                "Read Request 2 is first",
                DDP_UNTAGGED_MSN_RANGE,
                (v, s) -> readRequest(2, 5, 0, 8, v.open.rkey(), v.open.baseAddress()));
        wrong(
                "Read Request with an offset",
                DDP_UNTAGGED_INVALID_MO,
                (v, s) -> with(readRequest(1, 5, 0, 8, v.open.rkey(), v.open.baseAddress()), 17, 28));
        // RFC 5040 section 6.1 [5]: one more than agreed.
        wrongs("fifth Read of four", DDP_UNTAGGED_NO_BUFFER, (v, s) -> {
            for (int msn = 1; msn <= 5; msn++) {
                v.peer.add(readRequest(msn, 5, 0, 8, v.open.rkey(), v.open.baseAddress()));
            }
        });
        wrongs("fifth empty Read of four", DDP_UNTAGGED_NO_BUFFER, (v, s) -> {
            for (int msn = 1; msn <= 5; msn++) {
                v.peer.add(readRequest(msn, 5, 0, 0, 0, 0));
            }
        });
    }

    /** RFC 7306 sections 5.1.1 [2, 3, 4, 5], 5.1.2 [3, 4, 5, 6], 5.2.1 [2, 8] and 8.2 [1, 4, 5]. */
    private void atomicRequests() {
        for (int offset = 1; offset < 8; offset++) {
            int off = offset;
            wrong(
                    "FetchAdd at " + off,
                    RDMAP_STREAM_CATASTROPHIC,
                    (v, s) -> HandMade.fetchAdd(1, v.open.rkey(), v.open.baseAddress() + off, 1));
            wrong(
                    "CmpSwap at " + off,
                    RDMAP_STREAM_CATASTROPHIC,
                    (v, s) -> HandMade.atomicRequest(
                            1,
                            AtomicOpcode.CMP_SWAP,
                            r -> r.remoteStag(v.open.rkey())
                                    .remoteTo(v.open.baseAddress() + off)
                                    .addOrSwapMask(-1)));
        }
        for (int operation : new int[] {1, 3, 4, 15}) {
            wrong(
                    "atomic operation " + operation,
                    RDMAP_UNEXPECTED_OPCODE,
                    (v, s) -> HandMade.atomicRequest(
                            1,
                            AtomicOpcode.FETCH_ADD,
                            r -> r.operationWord(operation)
                                    .remoteStag(v.open.rkey())
                                    .remoteTo(v.open.baseAddress())
                                    .addOrSwapData(1)));
        }
    }

    /** RFC 7306 section 8.2 [1]: their keys and numbers. */
    private void atomicAccess() {
        for (String key : new String[] {"an unknown key", "key 0", "a dead key"}) {
            wrong(
                    "atomic by " + key,
                    RDMAP_INVALID_STAG,
                    (v, s) -> HandMade.fetchAdd(1, wrongKey(v, key), v.open.baseAddress(), 1));
        }
        wrong(
                "atomic in another domain",
                RDMAP_STAG_NOT_ASSOCIATED,
                (v, s) -> HandMade.fetchAdd(1, v.foreign.rkey(), v.foreign.baseAddress(), 1));
        wrong(
                "atomic without the right",
                RDMAP_ACCESS_RIGHTS,
                (v, s) -> HandMade.fetchAdd(1, v.readable.rkey(), v.readable.baseAddress(), 1));
        for (long offset : new long[] {-8, Victim.BYTES}) {
            wrong(
                    "atomic at " + offset,
                    RDMAP_BASE_OR_BOUNDS,
                    (v, s) -> HandMade.fetchAdd(1, v.open.rkey(), v.open.baseAddress() + offset, 1));
        }
        wrong(
                "Atomic Request 2 is first",
                DDP_UNTAGGED_MSN_RANGE,
                (v, s) -> HandMade.fetchAdd(2, v.open.rkey(), v.open.baseAddress(), 1));
        wrongs("fifth atomic of four", DDP_UNTAGGED_NO_BUFFER, (v, s) -> {
            long was = v.open.segment().get(JAVA_LONG, 0);
            byte[] sum = new byte[8];
            MemorySegment.ofArray(sum).set(JAVA_LONG_UNALIGNED, 0, was + 4);
            v.expect(v.open, 0, sum);
            for (int msn = 1; msn <= 5; msn++) {
                v.peer.add(HandMade.fetchAdd(msn, v.open.rkey(), v.open.baseAddress(), 1));
            }
        });
    }

    /** RFC 5040 section 5.2.2 [6]: exactly what was asked for. */
    private void readResponses() {
        wrong(
                "answer by a wrong key",
                DDP_TAGGED_INVALID_STAG,
                (v, s) -> new Sink(s.stag() + 1, s.to(), s.length()).answer());
        wrong(
                "answer by the key of a region",
                DDP_TAGGED_INVALID_STAG,
                (v, s) -> new Sink(v.open.rkey(), v.open.baseAddress(), s.length()).answer());
        wrong(
                "Write to the sink of a Read",
                DDP_TAGGED_INVALID_STAG,
                (v, s) -> write(true, s.stag(), s.to(), payload(8)));
        wrong("answer that is longer", DDP_TAGGED_BASE_OR_BOUNDS, (v, s) -> s.answer(true, 0, payload(READ_BYTES + 1)));
        wrong(
                "answer that is shorter",
                DDP_TAGGED_BASE_OR_BOUNDS,
                (v, s) -> s.answer(true, 0, payload(READ_BYTES - 1)));
        wrong("answer that is empty", DDP_TAGGED_BASE_OR_BOUNDS, (v, s) -> s.answer(true, 0));
        wrong("answer that has no end", DDP_TAGGED_BASE_OR_BOUNDS, (v, s) -> s.answer(false, 0, payload(READ_BYTES)));
        for (int offset : new int[] {-1, 1, READ_BYTES}) {
            wrong(
                    "answer at " + offset,
                    DDP_TAGGED_BASE_OR_BOUNDS,
                    (v, s) -> s.answer(true, offset, payload(READ_BYTES)));
        }
        wrongs("answer that continues elsewhere", DDP_TAGGED_BASE_OR_BOUNDS, (v, s) -> {
            v.expect(v.inbox, 512, payload(10));
            v.peer.add(s.answer(false, 0, payload(10)), s.answer(true, 11, payload(READ_BYTES - 11)));
        });
        wrongs("answer that becomes longer", DDP_TAGGED_BASE_OR_BOUNDS, (v, s) -> {
            v.expect(v.inbox, 512, payload(10));
            v.peer.add(s.answer(false, 0, payload(10)), s.answer(true, 10, payload(READ_BYTES - 9)));
        });
    }

    private void otherAnswers() {
        wrong(
                "atomic answered that was not asked for",
                DDP_UNTAGGED_MSN_RANGE,
                (v, s) -> HandMade.atomicResponse(1, 1, 5));
        wrong("Atomic Response 2 is first", DDP_UNTAGGED_MSN_RANGE, (v, s) -> HandMade.atomicResponse(2, 1, 5));
        wrong(
                "Atomic Response with an offset",
                DDP_UNTAGGED_INVALID_MO,
                (v, s) -> with(HandMade.atomicResponse(1, 1, 5), 17, 12));
    }
}
