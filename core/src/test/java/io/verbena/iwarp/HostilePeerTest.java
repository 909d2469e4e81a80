package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.WrFlags;
import io.verbena.wire.DdpControl;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every error of a peer in RDMA mode, one script each, over every framing, whole and in pieces: the expected Terminate
 * message, the completions of this side, and no byte changed without the right to do so.
 */
class HostilePeerTest {

    static List<Wrongs.Wrong> wrongs() {
        return Wrongs.all();
    }

    @ParameterizedTest
    @MethodSource("wrongs")
    void rts_peerViolation_isReportedOnceWithoutOtherEffects(Wrongs.Wrong wrong) {
        for (Framing framing : Framing.values()) {
            for (int piece : new int[] {1, 7, 20, Integer.MAX_VALUE}) {
                run(wrong, framing, piece);
            }
        }
    }

    private static void run(Wrongs.Wrong wrong, Framing framing, int piece) {
        Victim v = Victim.initiator(framing);
        v.postReceive(7, 0, Wrongs.RECEIVE_BYTES);
        Sink sink = v.read(1, 512, Wrongs.READ_BYTES);
        v.postSend(2, WrFlags.SIGNALLED.withFence(), 8);
        wrong.script().run(v, sink);
        byte[] blamed = v.peer.last;
        v.give(piece);
        byte[] terminate = v.assertTerminates(wrong.code());
        assertBlames(terminate, blamed);
        assertBlamesThePeer(v.ending().sentence());
        // RFC 5041 section 7.1 [11]: nothing of it is placed.
        v.assertMemory();
        List<String> completions = v.flushed();
        // The oldest work completes with the reason, all other work is flushed; each exactly once. A receive that is
        // too short
        // for its message is the work concerned.
        List<String> receives = only(completions, "RECEIVE");
        assertEquals(1, receives.size());
        boolean tooShort = receives.getFirst().contains("LOCAL_LENGTH");
        assertTrue(!tooShort || wrong.code() == TerminateCode.DDP_UNTAGGED_TOO_LONG, wrong::toString);
        assertEquals(
                List.of("1 READ " + (tooShort ? "FLUSHED" : "PROTOCOL") + " 64", "2 SEND FLUSHED 8"),
                only(completions, "READ", "SEND"));
        assertEquals(3, completions.size());
    }

    /** The sentence must not blame this side. */
    private static void assertBlamesThePeer(String sentence) {
        assertTrue(sentence.startsWith("We ended the connection. "), sentence);
        for (String wrong :
                new String[] {"The peer could not", "The peer's", "without saying why", "the peer does not"}) {
            assertFalse(sentence.contains(wrong), sentence);
        }
    }

    private static List<String> only(List<String> completions, String... opcodes) {
        return completions.stream()
                .filter(c -> Stream.of(opcodes).anyMatch(opcode -> c.contains(" " + opcode + " ")))
                .toList();
    }

    /** RFC 5040 sections 4.8 [5, 6, 7, 8] and 7.1 [3, 4], RFC 7306 section 8.1 [2]: the headers of what was wrong. */
    static void assertBlames(byte[] ulpdu, byte[] blamed) {
        Terminate terminate = HandMade.terminateOf(ulpdu);
        boolean isTagged = DdpControl.t(blamed[0]);
        int ddp = isTagged ? 14 : 18;
        boolean readRequest =
                (blamed[1] & 0xf) == RdmapOpcode.READ_REQUEST.value() && blamed.length == ddp + ReadRequest.LENGTH;
        assertEquals(
                "M D" + (readRequest ? " R" : ""),
                (terminate.m() ? "M" : "") + (terminate.d() ? " D" : "") + (terminate.r() ? " R" : ""));
        assertEquals(blamed.length, terminate.ddpSegmentLength());
        // RFC 5040 section 4.8 [4]: reserved bits go out as zero.
        assertEquals(0, ulpdu[DdpUntagged.LENGTH + 2] & 0x1f | ulpdu[DdpUntagged.LENGTH + 3]);
        int count = ddp + (readRequest ? ReadRequest.LENGTH : 0);
        assertEquals(DdpUntagged.LENGTH + Terminate.payloadLength(true, ddp, readRequest), ulpdu.length);
        byte[] headers = MemorySegment.ofArray(ulpdu)
                .asSlice(terminate.ddpHeaderOffset(), count)
                .toArray(JAVA_BYTE);
        assertArrayEquals(Arrays.copyOf(blamed, count), headers);
    }
}
