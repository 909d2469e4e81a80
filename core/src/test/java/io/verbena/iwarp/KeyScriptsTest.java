package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.readRequest;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory that a peer may access: domains, rights, revocation during traffic, memory that becomes inaccessible. */
class KeyScriptsTest {

    /** Ways to take a key away. */
    enum Revoking {
        INVALIDATE {
            @Override
            void revoke(Victim v, Region region) {
                assertTrue(v.end.regions.invalidate(region.rkey(), 1).ok());
            }
        },
        DEREGISTER {
            @Override
            void revoke(Victim v, Region region) {
                v.end.regions.deregister(region);
            }
        },
        RENEW {
            @Override
            void revoke(Victim v, Region region) {
                int old = region.rkey();
                assertNotEquals(old, v.end.regions.renewKey(region));
            }
        },
        LOCAL_WORK {
            @Override
            void revoke(Victim v, Region region) {
                v.end.post(WorkOpcode.LOCAL_INVALIDATE, w -> w.wrId(9).rkey(region.rkey()));
                v.sent();
                assertEquals(List.of("9 LOCAL_INVALIDATE SUCCESS 0"), v.end.completions());
            }
        };

        abstract void revoke(Victim v, Region region);
    }

    @ParameterizedTest
    @EnumSource(Revoking.class)
    void keyRevoked_whileAWriteIsArriving_nothingMoreIsPlaced(Revoking way) {
        // RFC 5040 section 8.1.1 [4, 5, 6], RFC 5041 sections 8.3 [1, 2, 4] and 8.3.1 [4, 5, 6], RFC 5042 section 6.2.2
        // [1].
        for (Framing framing : Framing.values()) {
            Victim v = Victim.initiator(framing);
            v.postReceive(7, 0, 100);
            int key = v.open.rkey();
            long to = v.open.baseAddress();
            v.peer.add(write(false, key, to, payload(100)));
            v.give();
            v.expect(v.open, 0, payload(100));
            v.peer.add(write(true, key, to + 100, payload(100)));
            // The next FPDU is half here; without checksum or markers its first half has been placed.
            v.give(70, Integer.MAX_VALUE);
            if (framing == Framing.PLAIN) {
                v.expect(v.open, 100, Arrays.copyOf(payload(100), 70 - 2 - 14));
            }
            v.assertMemory();
            way.revoke(v, v.open);
            v.give();
            v.assertTerminates(TerminateCode.DDP_TAGGED_INVALID_STAG);
            v.assertMemory();
            assertEquals(List.of("7 RECEIVE FLUSHED 0"), v.flushed());
        }
    }

    @Test
    void keyInvalidatedByThePeerItself_isDeadForItToo() {
        Victim v = Victim.responder(Framing.CRC);
        v.postReceive(7, 0, 100);
        int key = v.open.rkey();
        v.peer.add(HandMade.sendInvalidate(1, key), write(true, key, v.open.baseAddress(), payload(5)));
        v.give();
        assertEquals(List.of("7 RECEIVE SUCCESS 0 invalidated"), v.end.completions());
        v.assertTerminates(TerminateCode.DDP_TAGGED_INVALID_STAG);
        v.assertMemory();
    }

    @ParameterizedTest
    @EnumSource(
            value = Revoking.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = "LOCAL_WORK") // waits until the answer has left
    void keyRevoked_whileAReadIsAnswered_nothingMoreIsSent(Revoking way) {
        Victim v = Victim.responder(Framing.CRC);
        v.peer.add(readRequest(1, 0x51, 0, 4000, v.open.rkey(), v.open.baseAddress()));
        v.give();
        v.end.list.reset();
        v.end.stream.fillTransmit(v.end.list, 1500, 0);
        assertTrue(v.end.list.units() > 1);
        // Of what was filled one FPDU leaves; the rest is forgotten.
        v.end.stream.onTransmitted(v.end.list, 1, false, 0);
        way.revoke(v, v.open);
        List<String> sent = v.sentNow();
        // RFC 5040 section 8.1.1 [6]: what the peer had leave to read when it asked, it may not read any more.
        assertEquals(List.of(), sent);
        assertEquals(List.of("Terminate last msn=1 mo=0 len=4: RDMAP_INVALID_STAG"), v.sentNow());
        assertTrue(v.end.finSent);
    }

    @Test
    void keyRevoked_betweenRequestAndAnswer_terminates() {
        Victim v = Victim.responder(Framing.PLAIN);
        v.peer.add(readRequest(1, 0x51, 0, 8, v.open.rkey(), v.open.baseAddress()));
        v.give();
        v.end.regions.invalidate(v.open.rkey(), 1);
        assertEquals(List.of(), v.sent());
        assertEquals(List.of("Terminate last msn=1 mo=0 len=4: RDMAP_INVALID_STAG"), v.sent());
    }

    @Test
    void keyRenewed_newOneWorksAndOldOneDoesNot() {
        Victim v = Victim.initiator(Framing.PLAIN);
        int old = v.open.rkey();
        v.end.regions.invalidate(old, 1);
        assertEquals(0, v.open.rkey());
        int fresh = v.end.regions.renewKey(v.open);
        assertNotEquals(old, fresh);
        v.peer.add(write(true, fresh, v.open.baseAddress(), payload(5)));
        v.give();
        v.expect(v.open, 0, payload(5));
        v.assertMemory();
        v.peer.add(write(true, old, v.open.baseAddress() + 5, payload(5)));
        v.give();
        v.assertTerminates(TerminateCode.DDP_TAGGED_INVALID_STAG);
        v.assertMemory();
    }

    // Domains: see HostilePeerTest for keys of another one.

    @Test
    void localKeyOfAnotherDomain_isOfNoUseEither() {
        // RFC 5042 section 6.1.1 [1, 2], RFC 5041 section 8.3.1 [1]: domains keep streams apart, for their own work
        // too.
        Victim sender = Victim.initiator(Framing.PLAIN);
        sender.end.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(sender.foreign.localKey(), 0, 8));
        sender.sent();
        assertEquals(List.of("1 SEND LOCAL_PROTECTION 8"), sender.flushed());

        Victim reader = Victim.initiator(Framing.PLAIN);
        reader.end.post(WorkOpcode.READ, w -> w.wrId(1).addElement(reader.foreign.localKey(), 0, 8));
        reader.sent();
        assertEquals(List.of("1 READ LOCAL_PROTECTION 8"), reader.flushed());

        Victim receiver = Victim.initiator(Framing.PLAIN);
        receiver.end.postReceive(7, receiver.foreign, 0, 8);
        receiver.peer.add(send(true, 1, 0, payload(8)));
        receiver.give();
        assertEquals(List.of("7 RECEIVE LOCAL_PROTECTION 0"), receiver.flushed());
        receiver.assertTerminates(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        receiver.assertMemory();
    }

    // Rights of a queue pair.

    @ParameterizedTest
    @CsvSource({"REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC"})
    void rightOfTheStreamTaken_isRefusedWhateverTheRegionAllows(AccessRight taken) {
        Victim v = Victim.responder(Framing.CRC);
        Set<AccessRight> rest = EnumSet.allOf(AccessRight.class);
        rest.remove(taken);
        v.end.stream.peerRights(rest);
        int key = v.open.rkey();
        long to = v.open.baseAddress();
        // Length zero asks for nothing.
        v.peer.add(write(true, key, to), readRequest(1, 1, 0, 0, key, to));
        v.give();
        assertTrue(v.end.stream.ending().isEmpty());
        v.sent();
        v.peer.add(
                switch (taken) {
                    case REMOTE_WRITE -> write(true, key, to, payload(8));
                    case REMOTE_READ -> readRequest(2, 1, 0, 8, key, to);
                    default -> HandMade.fetchAdd(2, key, to, 1);
                });
        v.give();
        // RFC 5040 section 8.1.1 [5]: access is granted and revoked.
        v.assertTerminates(TerminateCode.RDMAP_ACCESS_RIGHTS);
        v.assertMemory();
    }

    @Test
    void rightOfTheStreamTaken_writeBehindAHole_isNotPlacedEither() {
        Victim v = Victim.responder(Framing.CRC_AND_MARKERS);
        v.end.stream.peerRights(Set.of());
        v.peer.add(write(true, 0, 0));
        int hole = v.peer.bytes().length;
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(600)));
        v.segment(hole, v.peer.bytes().length);
        v.assertMemory();
        v.segment(0, hole);
        v.segment(hole, v.peer.bytes().length);
        v.assertTerminates(TerminateCode.RDMAP_ACCESS_RIGHTS);
        v.assertMemory();
    }

    // Memory that goes away.

    private static Region lost(Victim v) {
        Arena arena = Arena.ofShared();
        Region region = v.end.regions.register(arena.allocate(64, 8), 1, StreamPair.ALL);
        arena.close();
        return region;
    }

    @Test
    void remoteMemoryGone_endsThisStreamOnly() {
        for (int kind = 0; kind < 3; kind++) {
            for (Framing framing : List.of(Framing.PLAIN, Framing.CRC)) {
                Victim v = Victim.initiator(framing);
                Region gone = lost(v);
                v.peer.add(
                        switch (kind) {
                            case 0 -> write(true, gone.rkey(), gone.baseAddress(), payload(64));
                            case 1 -> readRequest(1, 5, 0, 64, gone.rkey(), gone.baseAddress());
                            default -> HandMade.fetchAdd(1, gone.rkey(), gone.baseAddress(), 1);
                        });
                v.give(9);
                if (kind == 1) {
                    // Found out when it is read.
                    assertEquals(List.of(), v.sent());
                }
                v.assertTerminates(TerminateCode.RDMAP_STREAM_CATASTROPHIC);
                v.assertMemory();
            }
        }
    }

    @Test
    void localMemoryGone_failsTheWorkThatUsesIt() {
        Victim receiver = Victim.initiator(Framing.CRC);
        receiver.end.postReceive(7, lost(receiver), 0, 64);
        receiver.postReceive(8, 0, 64);
        receiver.peer.add(send(true, 1, 0, payload(8)));
        receiver.give();
        receiver.assertTerminates(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertEquals(List.of("7 RECEIVE LOCAL_MEMORY 0", "8 RECEIVE FLUSHED 0"), receiver.flushed());

        Victim reader = Victim.initiator(Framing.CRC);
        Region gone = reader.end.regions.register(Arena.ofAuto().allocate(64), 1, StreamPair.ALL);
        reader.end.post(WorkOpcode.READ, w -> w.wrId(1).addElement(gone.localKey(), 0, 8));
        Sink sink = Sink.of(reader.sentUlpdus().getFirst());
        gone.markLost("the test says so");
        reader.peer.add(sink.answer());
        reader.give();
        reader.assertTerminates(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertEquals(List.of("1 READ LOCAL_MEMORY 8"), reader.flushed());

        Victim sender = Victim.initiator(Framing.CRC);
        Region out = lost(sender);
        sender.end.post(WorkOpcode.WRITE, w -> w.wrId(1).addElement(out.localKey(), 0, 8));
        sender.sent();
        assertEquals(List.of("1 WRITE LOCAL_MEMORY 8"), sender.flushed());
    }
}
