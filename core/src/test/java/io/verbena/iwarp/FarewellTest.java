package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Farewells: a FIN after one is a close, a FIN without one is the end of a process, and other implementations are not affected. */
class FarewellTest {

    private static final int EMPTY_WRITE_BYTES = 20;

    private static StreamPair pair(boolean aSpeaks, boolean bSpeaks) {
        StreamPair pair = new StreamPair(false, false, 1024, Optional.of(RtrKind.WRITE));
        if (aSpeaks) {
            pair.a.stream.farewells();
        }
        if (bSpeaks) {
            pair.b.stream.farewells();
        }
        return pair;
    }

    /** The end's process dies between two FPDUs: its system sends a FIN. */
    private static void die(StreamPair.End end) {
        end.finSent = true;
    }

    /** Lets A fill and send what there is, and no FIN. */
    private static int send(StreamPair.End end) {
        end.list.reset();
        end.stream.fillTransmit(end.list, 4096, 0);
        Slab out = new Slab(end.list.bytes());
        end.list.copyOut(0, end.list.bytes(), out, 0);
        end.append(out.segment().toArray(ValueLayout.JAVA_BYTE));
        end.stream.onTransmitted(end.list, end.list.units(), false, 0);
        return out.capacity();
    }

    private static Ending.Kind kind(StreamPair.End end) {
        return end.stream.ending().orElseThrow().kind();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4096})
    void bothSpeak_closed_isGraceful(int pieceBytes) {
        StreamPair p = pair(true, true);
        p.run(pieceBytes);
        p.a.stream.disconnect(0);
        p.run(pieceBytes);
        assertEquals(Ending.Kind.GRACEFUL, kind(p.a));
        assertEquals(Ending.Kind.GRACEFUL, kind(p.b));
    }

    @Test
    void bothSpeak_closedByTheResponder_isGraceful() {
        StreamPair p = pair(true, true);
        p.run();
        p.b.stream.disconnect(0);
        p.run();
        assertEquals(Ending.Kind.GRACEFUL, kind(p.a));
        assertEquals(Ending.Kind.GRACEFUL, kind(p.b));
    }

    @Test
    void bothSpeak_oneDies_theOtherKnows() {
        for (boolean initiatorDies : new boolean[] {false, true}) {
            StreamPair p = pair(true, true);
            p.run();
            StreamPair.End dead = initiatorDies ? p.a : p.b;
            StreamPair.End other = initiatorDies ? p.b : p.a;
            Region memory = other.region(64);
            other.postReceive(1, memory, 0, 64);
            die(dead);
            p.deliver(dead, other, 4096);
            assertEquals(Ending.Kind.BAD_CLOSE, kind(other));
            assertTrue(other.stream.flush());
            assertEquals(List.of("1 RECEIVE FLUSHED 0"), other.completions());
        }
    }

    @Test
    void diesAfterItsPeerClosed_isNoGoodOrder() {
        StreamPair p = pair(true, true);
        p.run();
        p.a.stream.disconnect(0);
        p.a.transmit(0, 4096);
        die(p.b);
        p.deliver(p.b, p.a, 4096);
        assertEquals(Ending.Kind.BAD_CLOSE, kind(p.a));
    }

    @Test
    void responderDiesBeforeItsFirstFpdu_looksLikeAClose() {
        StreamPair p = pair(true, true);
        p.a.transmit(0, 4096);
        die(p.b);
        p.deliver(p.b, p.a, 4096);
        p.a.transmit(0, 4096);
        assertEquals(Ending.Kind.GRACEFUL, kind(p.a));
    }

    @ParameterizedTest
    @EnumSource(RtrKind.class)
    void initiatorDiesBeforeItsRtrFrame_isNoGoodOrder(RtrKind rtr) {
        StreamPair p = new StreamPair(false, false, 1024, Optional.of(rtr));
        p.b.stream.farewells();
        die(p.a);
        p.deliver(p.a, p.b, 4096);
        assertEquals(Ending.Kind.BAD_CLOSE, kind(p.b));
    }

    @Test
    void stranger_hearsNothingNew_andItsFinIsAClose() {
        StreamPair p = pair(true, false);
        p.a.transmit(0, 4096);
        assertEquals(EMPTY_WRITE_BYTES, p.a.wire.length, "the RTR frame, as always");
        Region remote = p.b.region(64);
        Region local = p.a.region(64);
        p.b.post(
                WorkOpcode.WRITE,
                w -> w.wrId(2)
                        .rkey(local.rkey())
                        .remoteAddress(local.baseAddress())
                        .addElement(remote.localKey(), 0, 16));
        p.run();
        p.a.stream.disconnect(0);
        p.a.transmit(0, 4096);
        assertEquals(0, p.a.wire.length, "no farewell");
        assertTrue(p.a.finSent);
        p.run();
        assertEquals(Ending.Kind.GRACEFUL, kind(p.a));
        assertEquals(Ending.Kind.GRACEFUL, kind(p.b));
    }

    @Test
    void strangerThatConnects_isAnsweredWithoutAGreeting() {
        StreamPair p = pair(false, true);
        p.run();
        p.b.transmit(0, 4096);
        assertEquals(0, p.b.wire.length);
        die(p.a);
        p.run();
        assertEquals(Ending.Kind.GRACEFUL, kind(p.b));
    }

    @ParameterizedTest
    @EnumSource(
            value = RtrKind.class,
            names = {"READ", "SEND"})
    void otherRtrFrames_carryNoGreeting(RtrKind rtr) {
        StreamPair p = new StreamPair(false, false, 1024, Optional.of(rtr));
        p.a.stream.farewells();
        p.b.stream.farewells();
        p.run();
        die(p.a);
        p.run();
        assertEquals(Ending.Kind.GRACEFUL, kind(p.b));
    }

    @Test
    void workPostedBehindTheFarewell_isFollowedByAnother() {
        StreamPair p = pair(true, true);
        p.run();
        Region remote = p.b.region(64);
        Region local = p.a.region(64);
        p.b.postReceive(9, remote, 0, 64);
        p.a.stream.disconnect(0);
        assertEquals(EMPTY_WRITE_BYTES, send(p.a), "the farewell");
        p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), 0, 16));
        assertFalse(p.a.stream.shutdownDue());
        p.run();
        assertEquals("9 RECEIVE SUCCESS 16", p.b.completion());
        assertEquals(Ending.Kind.GRACEFUL, kind(p.a));
        assertEquals(Ending.Kind.GRACEFUL, kind(p.b));
    }

    @Test
    void farewellFollowedByData_countsNoMore() {
        StreamPair p = pair(true, true);
        p.run();
        Region remote = p.b.region(64);
        Region local = p.a.region(64);
        p.b.postReceive(9, remote, 0, 64);
        p.a.stream.disconnect(0);
        assertEquals(EMPTY_WRITE_BYTES, send(p.a), "the farewell");
        p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), 0, 16));
        send(p.a);
        die(p.a);
        p.deliver(p.a, p.b, 4096);
        assertEquals(Ending.Kind.BAD_CLOSE, kind(p.b));
    }
}
