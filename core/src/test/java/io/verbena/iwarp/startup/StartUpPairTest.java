package io.verbena.iwarp.startup;

import static io.verbena.iwarp.startup.Script.MS;
import static io.verbena.iwarp.startup.Script.data;
import static io.verbena.iwarp.startup.Script.drain;
import static io.verbena.iwarp.startup.Script.established;
import static io.verbena.iwarp.startup.Script.failed;
import static io.verbena.iwarp.startup.Script.feed;
import static io.verbena.iwarp.startup.Script.listening;
import static io.verbena.iwarp.startup.Script.rejected;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Both sides of Verbena against each other: every combination, every split. */
class StartUpPairTest {
    private static final List<Boolean> BOTH = List.of(false, true);

    /** Every set of RTR messages; the empty one stands for the client-server model. */
    private static List<PeerToPeer> models() {
        List<PeerToPeer> models = new ArrayList<>();
        models.add(PeerToPeer.NONE);
        for (int bits = 1; bits < 8; bits++) {
            models.add(new PeerToPeer(true, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
        }
        return models;
    }

    private record Pair(InitiatorStartUp initiator, ResponderStartUp responder) {
        static Pair connect(StartUpOptions initiator, StartUpOptions responder) {
            InitiatorStartUp a = new InitiatorStartUp(initiator);
            ResponderStartUp b = listening();
            a.start(0);
            feed(b, drain(a, 11), MS);
            assertTrue(b.accept(responder, MS));
            feed(a, drain(b, 13), MS);
            return new Pair(a, b);
        }
    }

    @Test
    void switch_whateverIsNegotiated_costsOneRoundTrip() {
        // A frame there and a frame back; what follows (an RTR frame too) is RDMA already.
        for (PeerToPeer model : models()) {
            for (boolean crc : BOTH) {
                StartUpOptions options =
                        StartUpOptions.defaults().withPeerToPeer(model).withCrc(crc);
                Pair pair = Pair.connect(options, options);
                established(pair.initiator());
                established(pair.responder());
                assertEquals(0, pair.initiator().transmitPendingBytes());
                assertEquals(0, pair.responder().transmitPendingBytes());
            }
        }
    }

    @Test
    void everyMarkerAndCrcCombination_isAgreedUpon() {
        // RFC 5044 section 7.1.1 [5, 6, 7, 8]: M rules one direction each, C of either side rules both.
        for (boolean enhanced : BOTH) {
            for (int bits = 0; bits < 16; bits++) {
                boolean markersToA = (bits & 1) != 0;
                boolean markersToB = (bits & 2) != 0;
                boolean crcA = (bits & 4) != 0;
                boolean crcB = (bits & 8) != 0;
                StartUpOptions base = StartUpOptions.defaults().withEnhanced(enhanced);
                Pair pair = Pair.connect(
                        base.withMarkersReceived(markersToA).withCrc(crcA),
                        base.withMarkersReceived(markersToB).withCrc(crcB));
                Negotiated a = established(pair.initiator());
                Negotiated b = established(pair.responder());
                assertEquals(
                        List.of(markersToB, markersToA, crcA || crcB),
                        List.of(
                                a.framing().sendMarkers(),
                                a.framing().receiveMarkers(),
                                a.framing().crc()));
                assertEquals(
                        List.of(markersToA, markersToB, crcA || crcB),
                        List.of(
                                b.framing().sendMarkers(),
                                b.framing().receiveMarkers(),
                                b.framing().crc()));
            }
        }
    }

    @Test
    void everyPeerToPeerCombination_isAgreedUponOrTerminated() {
        // RFC 6581 section 9.2 [4, 6, 7, 8]: one common RTR message, or Terminate 2/0/7.
        for (PeerToPeer asked : models()) {
            for (PeerToPeer able : models()) {
                StartUpOptions base = StartUpOptions.defaults();
                Pair pair = Pair.connect(base.withPeerToPeer(asked), base.withPeerToPeer(able));
                Optional<RtrKind> named = established(pair.responder()).rtr();
                assertEquals(asked.requested(), named.isPresent());
                Set<RtrKind> common = EnumSet.allOf(RtrKind.class);
                common.removeIf(kind -> !asked.offers(kind) || (able.requested() && !able.offers(kind)));
                if (!asked.requested()) {
                    assertEquals(Optional.empty(), established(pair.initiator()).rtr());
                } else if (common.isEmpty()) {
                    assertTrue(able.offers(named.orElseThrow()));
                    assertEquals(
                            StartUpFault.NO_MATCHING_RTR,
                            failed(pair.initiator()).fault());
                } else {
                    assertTrue(common.contains(named.orElseThrow()));
                    assertEquals(named, established(pair.initiator()).rtr());
                }
            }
        }
    }

    @Test
    void everyDepthCombination_keepsTheInequalities() {
        // RFC 6581 section 9.1 [2, 4]: initiator ORD <= responder IRD and responder ORD <= initiator IRD.
        int[] values = {0, 1, 7, 0x3ffe, 0x3fff};
        for (int aIrd : values) {
            for (int aOrd : values) {
                for (int bIrd : values) {
                    for (int bOrd : values) {
                        StartUpOptions base = StartUpOptions.defaults();
                        Pair pair = Pair.connect(base.withDepths(aIrd, aOrd), base.withDepths(bIrd, bOrd));
                        Negotiated a = established(pair.initiator());
                        Negotiated b = established(pair.responder());
                        assertDepth(a.ord(), b.ird(), aOrd, bIrd);
                        assertDepth(b.ord(), a.ird(), bOrd, aIrd);
                    }
                }
            }
        }
    }

    private static void assertDepth(int out, int in, int wantedOut, int wantedIn) {
        if (wantedOut == ReadDepths.LEFT_TO_ULP || wantedIn == ReadDepths.LEFT_TO_ULP) {
            assertEquals(List.of(wantedOut, wantedIn), List.of(out, in));
        } else {
            assertEquals(Math.min(wantedOut, wantedIn), out);
            assertTrue(out <= in);
        }
    }

    @Test
    void everyCutOfRequestAndReply_givesTheSame() {
        StartUpOptions options =
                StartUpOptions.defaults().withPeerToPeer(PeerToPeer.ANY).withPrivateData(data(9));
        Pair whole = Pair.connect(options, options);
        InitiatorStartUp source = new InitiatorStartUp(options);
        source.start(0);
        byte[] request = drain(source, 1000);
        ResponderStartUp answering = listening();
        feed(answering, request, MS);
        answering.accept(options, MS);
        byte[] reply = drain(answering, 1000);
        byte[] replyAndMore = Arrays.copyOf(reply, reply.length + 40);
        for (int first = 0; first <= request.length; first++) {
            for (int second = first; second <= request.length; second++) {
                ResponderStartUp b = listening();
                assertEquals(request.length, inPieces(b, request, first, second));
                assertTrue(b.accept(options, MS));
                drain(b, 1 + first);
                assertEquals(whole.responder().outcome(), b.outcome());
                assertEquals(whole.responder().stateDigest(), b.stateDigest());
            }
        }
        for (int first = 0; first <= replyAndMore.length; first++) {
            for (int second = first; second <= replyAndMore.length; second++) {
                InitiatorStartUp a = Script.waiting(options);
                assertEquals(reply.length, inPieces(a, replyAndMore, first, second));
                assertEquals(whole.initiator().outcome(), a.outcome());
                assertEquals(whole.initiator().stateDigest(), a.stateDigest());
            }
        }
    }

    /** Passes three pieces. Bytes that are not taken are not passed again, because nothing is taken after the frame. */
    private static int inPieces(StartUp side, byte[] bytes, int first, int second) {
        return feed(side, Arrays.copyOfRange(bytes, 0, first), MS)
                + feed(side, Arrays.copyOfRange(bytes, first, second), MS)
                + feed(side, Arrays.copyOfRange(bytes, second, bytes.length), MS);
    }

    @Test
    void everyCutOfABadFrame_givesTheSameFault() {
        for (String text : new String[] {
            Script.REQ + "10020201",
            Script.REQ + "10020003",
            Script.REQ + "05090000",
            Script.REP + "10020004",
            "4d504120494420526578204672616d65" + "00000000"
        }) {
            byte[] bytes = Script.hex(text);
            ResponderStartUp whole = listening();
            feed(whole, bytes, MS);
            for (int cut = 0; cut <= bytes.length; cut++) {
                ResponderStartUp side = listening();
                inPieces(side, bytes, cut / 2, cut);
                assertEquals(whole.outcome(), side.outcome());
            }
        }
    }

    @Test
    void rejection_bothWaysWithPrivateData_leavesBothStreamsUsable() {
        for (boolean enhanced : BOTH) {
            InitiatorStartUp a = new InitiatorStartUp(
                    StartUpOptions.defaults().withEnhanced(enhanced).withPrivateData(data(30)));
            ResponderStartUp b = listening();
            a.start(0);
            feed(b, drain(a, 100), MS);
            b.reject(data(40), MS);
            feed(a, drain(b, 100), MS);
            assertEquals(data(40), rejected(a).privateData());
            assertEquals(data(40), rejected(b).privateData());
            for (StartUp side : new StartUp[] {a, b}) {
                assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs());
                assertEquals(0, feed(side, "00", MS));
                assertEquals(0, side.transmitPendingBytes());
            }
        }
    }
}
