package io.verbena.iwarp;

import static io.verbena.verbs.WrFlags.SIGNALLED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The work that a peer's Terminate message reports as the cause completes with the status, and no other work does. */
class FailedRequestTest {

    private final Victim v = Victim.initiator(Framing.PLAIN);

    /** A Read that is not answered, so that the work after it stays pending although it has left; then the rest. */
    private List<byte[]> readWriteSendsRead() {
        v.postRead(1, 0, 8);
        v.end.post(
                WorkOpcode.WRITE,
                SIGNALLED,
                w -> w.wrId(2).rkey(0x55).remoteAddress(0x2000).addElement(v.open.localKey(), 0, 16));
        v.postSend(3, SIGNALLED, 8);
        v.postSend(4, SIGNALLED, 8);
        v.postRead(5, 0, 8);
        return v.sentUlpdus();
    }

    private List<String> terminated(TerminateCode code, byte[] faulty, boolean readRequest, boolean siw) {
        int headers = Terminate.LENGTH + 2;
        int count = readRequest ? faulty.length : (faulty[0] & 0x80) != 0 ? 14 : 18;
        byte[] payload = new byte[headers + count];
        Terminate terminate = new Terminate()
                .wrap(MemorySegment.ofArray(payload), 0)
                .code(code)
                .m(true)
                .d(true)
                .r(readRequest)
                .ddpSegmentLength(faulty.length);
        System.arraycopy(faulty, 0, payload, headers, count);
        if (siw) {
            payload[0] = (byte) (code.layer() | code.etype() << 4);
            payload[2] = (byte) (terminate.r() ? 7 : 3);
            if (readRequest) {
                // Linux's siw sends the length in place of the message number.
                payload[headers + 13] = 44;
            }
        }
        v.peer.add(HandMade.untagged(RdmapOpcode.TERMINATE, true, 1, 0, payload));
        v.give();
        return v.flushed();
    }

    @Test
    void failedSend_isFoundByItsNumber() {
        byte[] second = readWriteSendsRead().get(3);
        assertEquals(
                List.of(
                        "1 READ FLUSHED 8",
                        "2 WRITE FLUSHED 16",
                        "3 SEND FLUSHED 8",
                        "4 SEND RECEIVER_NOT_READY 8",
                        "5 READ FLUSHED 8"),
                terminated(TerminateCode.DDP_UNTAGGED_NO_BUFFER, second, false, false));
    }

    @Test
    void failedWrite_isFoundByKeyAndAddress() {
        byte[] write = readWriteSendsRead().get(1);
        assertEquals(
                List.of(
                        "1 READ FLUSHED 8",
                        "2 WRITE REMOTE_ACCESS 16",
                        "3 SEND FLUSHED 8",
                        "4 SEND FLUSHED 8",
                        "5 READ FLUSHED 8"),
                terminated(TerminateCode.DDP_TAGGED_INVALID_STAG, write, false, true));
    }

    @Test
    void failedRead_isFoundByItsRequest() {
        byte[] read = readWriteSendsRead().get(4);
        assertEquals(
                List.of(
                        "1 READ FLUSHED 8",
                        "2 WRITE FLUSHED 16",
                        "3 SEND FLUSHED 8",
                        "4 SEND FLUSHED 8",
                        "5 READ REMOTE_ACCESS 8"),
                terminated(TerminateCode.RDMAP_INVALID_STAG, read, true, false));
    }

    @Test
    void failedReadOfSiw_isFoundThoughItsNumberIsNot() {
        byte[] read = readWriteSendsRead().get(4);
        assertEquals(
                "5 READ REMOTE_ACCESS 8",
                terminated(TerminateCode.RDMAP_INVALID_STAG, read, true, true).getLast());
    }

    @Test
    void failedWork_isCompleteAlready_noOtherWorkFails() {
        v.postSend(1, SIGNALLED, 8);
        byte[] send = v.sentUlpdus().getFirst();
        assertEquals(List.of("1 SEND SUCCESS 8"), v.end.completions());
        v.postRead(2, 0, 8);
        v.sentUlpdus();
        assertEquals(List.of("2 READ FLUSHED 8"), terminated(TerminateCode.DDP_UNTAGGED_NO_BUFFER, send, false, false));
    }

    @Test
    void noHeaders_oldestIsBlamed() {
        readWriteSendsRead();
        v.peer.add(HandMade.terminate(TerminateCode.RDMAP_LOCAL_CATASTROPHIC));
        v.give();
        assertEquals("1 READ REMOTE_OPERATION 8", v.flushed().getFirst());
    }
}
