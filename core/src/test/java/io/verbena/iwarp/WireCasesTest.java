package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.tagged;
import static io.verbena.iwarp.HandMade.untagged;
import static io.verbena.iwarp.HandMade.with;
import static io.verbena.iwarp.HandMade.write;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases that broke other implementations: those of framing here, all others as listed in this table.
 *
 * <table>
 * <caption>Cases and their tests</caption>
 * <tr><td>1 length below the header</td><td>here; {@code UlpduTest.everyLengthBelowTheHeader}</td></tr>
 * <tr><td>2 first FPDU invalid</td><td>here</td></tr>
 * <tr><td>3 malformed Request</td><td>{@code ResponderStartUpTest.awaitingRequest_malformed},
 *     {@code ListenerTest.peerSendsGarbage}</td></tr>
 * <tr><td>4 Request rejected, then closed</td><td>{@code InitiatorStartUpTest.awaitingReply_rejection},
 *     {@code ConnectTest.requested_reject_carriesThePrivateData}</td></tr>
 * <tr><td>5 Reply in pieces</td><td>{@code StartUpPairTest.everyCutOfRequestAndReply},
 *     {@code InitiatorStartUpTest.awaitingReply_reply_isReportedOnce}</td></tr>
 * <tr><td>6 FPDU in the Reply's segment</td><td>{@code InitiatorStartUpTest.awaitingReply_fpduInTheSameSegment},
 *     {@code IwarpConnectTest.startUpTornToBytes_andDataAfterTheReply_arrives}</td></tr>
 * <tr><td>7 bytes before the Reply</td><td>{@code ResponderStartUpTest.awaitingRequest_bytesBehindTheRequest},
 *     {@code decidingOrReplying_bytes}</td></tr>
 * <tr><td>8 pad and CRC apart</td><td>here</td></tr>
 * <tr><td>9 depths of zero</td><td>{@link WireCasesQueueTest}, {@code WireCasesRnicTest},
 *     {@code StartUpPairTest.everyDepthCombination}</td></tr>
 * <tr><td>10 fence</td><td>{@link WireCasesQueueTest}</td></tr>
 * <tr><td>11 posting in ERROR</td><td>{@code WireCasesRnicTest}</td></tr>
 * <tr><td>12 destroyed during a disconnect</td><td>{@code WireCasesRnicTest}</td></tr>
 * <tr><td>13 pages</td><td>here</td></tr>
 * <tr><td>14 first chunk</td><td>here</td></tr>
 * <tr><td>15 closed with events queued</td><td>{@code WireCasesRnicTest}</td></tr>
 * <tr><td>16 closed during a query</td><td>{@code WireCasesRnicTest}</td></tr>
 * <tr><td>17 S is no reserved bit</td><td>{@code ResponderStartUpTest.awaitingRequest_sBitWithReservedBits},
 *     {@code MpaStartFrameTest.revisionOneWithS}</td></tr>
 * <tr><td>18 CRC and markers negotiated</td><td>{@code StartUpPairTest.everyMarkerAndCrcCombination},
 *     {@code IwarpStreamTest.everyOperation_overAnyFraming}</td></tr>
 * <tr><td>19 to 24</td><td>{@link WireCasesQueueTest}; 24 in {@code WireCasesRnicTest} too</td></tr>
 * <tr><td>25 golden vectors</td><td>{@code MarkerTest.rfcFigure5}, {@code rfcFigure6}</td></tr>
 * </table>
 *
 * <p>Other errors of a peer: {@link HostilePeerTest}, {@link HostileFramingTest}.
 */
class WireCasesTest {

    private static final int TAGGED_HEADER = 14;
    private static final int UNTAGGED_HEADER = 18;

    private static Victim busy(Framing framing) {
        Victim v = Victim.initiator(framing);
        v.postReceive(7, 0, 100);
        v.read(1, 512, 64);
        return v;
    }

    // MPA length smaller than the opcode's header.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_lengthBelowTheDdpHeader_terminatesAsMpaAndPlacesNothing(Framing framing) {
        for (int control = 0; control < 32; control++) {
            boolean isTagged = control >= 16;
            byte[] whole = isTagged ? write(true, 0, 0) : send(true, 1, 0);
            whole[1] = (byte) (0x40 | control & 0xf);
            for (int length = 0; length < whole.length; length++) {
                for (int piece : new int[] {1, Integer.MAX_VALUE}) {
                    Victim v = busy(framing);
                    // Another FPDU follows directly: its bytes must not be taken for the rest of the header.
                    v.peer.add(Arrays.copyOf(whole, length), send(true, 1, 0, payload(50)));
                    v.give(piece);
                    byte[] terminate = v.assertTerminates(TerminateCode.MPA_FPDU_START);
                    assertEquals(UNTAGGED_HEADER + Terminate.LENGTH, terminate.length, "no headers");
                    v.assertMemory();
                    assertEquals(List.of("1 READ PROTOCOL 64", "7 RECEIVE FLUSHED 0"), v.flushed());
                }
            }
        }
    }

    // The same for the RDMAP headers after it; the DDP header is complete, so the fault is RDMAP's.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_lengthBelowTheRdmapHeader_terminatesAndPlacesNothing(Framing framing) {
        for (RdmapOpcode opcode : RdmapOpcode.values()) {
            for (int length = 0; length < opcode.fixedPayloadLength(); length++) {
                Victim v = busy(framing);
                v.peer.add(untagged(opcode, true, 1, 0, payload(length)), send(true, 1, 0, payload(50)));
                v.give(length % 2 == 0 ? 1 : Integer.MAX_VALUE);
                byte[] terminate = v.assertTerminates(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
                assertEquals(
                        UNTAGGED_HEADER + length,
                        HandMade.terminateOf(terminate).ddpSegmentLength());
                v.assertMemory();
                assertEquals(List.of("1 READ PROTOCOL 64", "7 RECEIVE FLUSHED 0"), v.flushed());
            }
        }
    }

    // A Terminate message that is shorter than its header ends the stream, without a reason and without an
    // answer.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_terminateShorterThanItsHeader_endsTheStream(Framing framing) {
        for (int length = 0; length < Terminate.LENGTH; length++) {
            Victim v = busy(framing);
            v.peer.add(untagged(RdmapOpcode.TERMINATE, true, 1, 0, payload(length)));
            v.give(1);
            assertEquals(Ending.Kind.TERMINATED_BY_PEER, v.ending().kind());
            assertEquals(TerminateCode.UNKNOWN, v.ending().code().orElseThrow());
            assertEquals(List.of(), v.sent());
            assertEquals(List.of("1 READ REMOTE_INVALID_REQUEST 64", "7 RECEIVE FLUSHED 0"), v.flushed());
        }
    }

    // The first FPDU is invalid, before anything is known of the stream.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void waiting_firstFpduInvalid_endsWithoutAWord(Framing framing) {
        for (int length = 0; length < UNTAGGED_HEADER; length++) {
            for (int piece : new int[] {1, Integer.MAX_VALUE}) {
                Victim v = Victim.responder(framing);
                v.postReceive(7, 0, 100);
                v.postSend(2, WrFlags.SIGNALLED, 8);
                byte[] start = length < TAGGED_HEADER ? write(true, 0, 0) : send(true, 1, 0);
                v.peer.add(Arrays.copyOf(start, length), send(true, 1, 0, payload(50)));
                v.give(piece);
                // RFC 5044 section 7.1.2 [8]: it was no valid FPDU, so this side must not send a Terminate message.
                v.assertEndsSilently(TerminateCode.MPA_FPDU_START);
                v.assertMemory();
                assertEquals(List.of("2 SEND PROTOCOL 8", "7 RECEIVE FLUSHED 0"), v.flushed());
            }
        }
    }

    // An FPDU that is valid for MPA allows this side to send, even if only a Terminate message.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void waiting_firstSegmentRefused_terminates(Framing framing) {
        byte[][] segments = {
            with(send(true, 1, 0), 0, 0x40),
            with(send(true, 1, 0), 1, 0x4f),
            send(true, 2, 0, payload(3)),
            write(true, 5, 0, payload(3)),
            tagged(RdmapOpcode.READ_RESPONSE, true, 5, 0, payload(3)),
            tagged(RdmapOpcode.READ_RESPONSE, true, 0, 0),
            HandMade.atomicResponse(1, 1, 1),
            HandMade.readRequest(1, 0, 0, 1, 0, 0),
            send(true, 1, 0, payload(3)),
        };
        for (byte[] segment : segments) {
            Victim v = Victim.responder(framing);
            v.peer.add(segment);
            v.give(1);
            HostilePeerTest.assertBlames(v.assertTerminates(v.ending().code().orElseThrow()), segment);
            v.assertMemory();
            assertEquals(List.of(), v.flushed());
        }
    }

    // Not even the end of the stream may come before there is a context.
    @Test
    void waiting_streamEndsWithoutAnFpdu_isInGoodOrder() {
        Victim v = Victim.responder(Framing.CRC);
        v.end.stream.onEndOfStream(0);
        assertEquals(List.of(), v.sent());
        assertEquals(Ending.Kind.GRACEFUL, v.ending().kind());
    }

    // Pad bytes in one segment, the CRC in the next: every way of cutting an FPDU's end.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_padAndCrcApart_completesWithTheLastByte(Framing framing) {
        for (int length = 9; length <= 12; length++) {
            Victim v = Victim.initiator(framing);
            for (int cuts = 0; cuts < 1 << 7; cuts++) {
                byte[] bytes = payload(length);
                bytes[0] = (byte) cuts;
                v.postReceive(cuts, 0, 100);
                v.peer.add(send(true, cuts + 1, 0, bytes));
                // RFC 5044 sections 5.1 [1], 5.2 [1] and 6 [5]: the length determines where an FPDU ends, segments of
                // TCP do not.
                v.give(v.left() - 8, Integer.MAX_VALUE);
                for (int i = 0; i < 7; i++) {
                    int run = 1;
                    while (i < 7 && (cuts & 1 << i) == 0) {
                        run++;
                        i++;
                    }
                    v.give(Math.min(run, v.left()), Integer.MAX_VALUE);
                    if (v.left() > 0) {
                        assertEquals(List.of(), v.end.completions(), "too early");
                    }
                }
                v.give();
                assertEquals(List.of(cuts + " RECEIVE SUCCESS " + length), v.end.completions());
                v.expect(v.inbox, 0, bytes);
                v.assertMemory();
            }
        }
    }

    // Payload that spans pages, at every alignment of both sides.
    @ParameterizedTest
    @CsvSource({"PLAIN, 1024", "CRC_AND_MARKERS, 1024", "PLAIN, 60000"})
    void rts_payloadOverPages_bringsEveryByteAndNoOther(Framing framing, int maxPayload) {
        StreamPair p = new StreamPair(framing.crc, framing.markers, maxPayload, Optional.empty());
        Region local = pages(p.a);
        Region remote = pages(p.b);
        StreamPair.fill(local, 1);
        for (int from = 0; from < 8; from++) {
            for (int to = 0; to < 8; to++) {
                for (int length : new int[] {17, Victim.BYTES, Victim.BYTES + 33}) {
                    long source = Victim.BYTES - 16L + from;
                    long target = Victim.BYTES - 8L + to;
                    p.b.postReceive(7, remote, target, length);
                    p.a.post(WorkOpcode.SEND, w -> w.addElement(local.localKey(), source, length));
                    p.run(1448);
                    assertEquals(List.of("7 RECEIVE SUCCESS " + length), p.b.completions());
                    assertCopied(local, source, remote, target, length);
                    p.a.post(
                            WorkOpcode.WRITE,
                            w -> w.rkey(remote.rkey())
                                    .remoteAddress(remote.baseAddress() + target)
                                    .addElement(local.localKey(), source, length));
                    p.run(1448);
                    assertCopied(local, source, remote, target, length);
                    p.b.post(
                            WorkOpcode.READ,
                            w -> w.rkey(local.rkey())
                                    .remoteAddress(local.baseAddress() + source)
                                    .addElement(remote.localKey(), target, length));
                    p.run(1448);
                    assertEquals(List.of("0 READ SUCCESS " + length), p.b.completions());
                    assertCopied(local, source, remote, target, length);
                    assertEquals(2, p.a.completions().size());
                }
            }
        }
    }

    private static Region pages(StreamPair.End end) {
        return end.regions.register(Arena.ofAuto().allocate(4L * Victim.BYTES, Victim.BYTES), 1, StreamPair.ALL);
    }

    /** The bytes have come, nothing beside them has; then they are wiped. */
    private static void assertCopied(Region from, long source, Region to, long target, int length) {
        byte[] expected = new byte[(int) to.length()];
        MemorySegment.copy(from.segment(), JAVA_BYTE, source, expected, (int) target, length);
        assertArrayEquals(expected, to.segment().toArray(JAVA_BYTE));
        to.segment().fill((byte) 0);
    }

    // The same when payload is read from the socket directly to its buffer.
    @ParameterizedTest
    @CsvSource({"1", "7", "4096", "8191", "100000"})
    void rts_payloadReadToItsPlace_bringsEveryByteAndNoOther(int piece) {
        StreamPair p = new StreamPair(false, false, 30_000, Optional.empty());
        Region local = p.a.region(40_000);
        Region remote = p.b.region(41_000);
        StreamPair.fill(local, 1);
        int direct = 0;
        for (int to = 0; to < 8; to++) {
            long target = 501L + to;
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + target)
                            .addElement(local.localKey(), 3, 39_001));
            p.a.transmit(0, 1 << 20);
            direct += readAsAnEndpointDoes(p.b.stream, p.a.wire, piece);
            p.a.wire = new byte[0];
            assertCopied(local, 3, remote, target, 39_001);
        }
        assertTrue(direct > 0, "nothing was read directly");
        p.a.stream.disconnect(0);
        p.run();
        assertEquals(Ending.Kind.GRACEFUL, p.b.stream.ending().orElseThrow().kind());
    }

    private static int readAsAnEndpointDoes(IwarpStream stream, byte[] bytes, int piece) {
        Slab slab = new Slab(30);
        int direct = 0;
        for (int at = 0; at < bytes.length; ) {
            ByteBuffer target = stream.receiveTarget();
            int room = target.remaining() > 0 ? Math.min(piece, target.remaining()) : slab.capacity();
            int count = Math.min(room, bytes.length - at);
            if (target.remaining() > 0) {
                target.put(bytes, at, count);
                stream.onFilled(count, 0);
                direct += count;
            } else {
                MemorySegment.copy(bytes, at, slab.segment(), JAVA_BYTE, 0, count);
                assertEquals(count, stream.onBytes(slab, 0, count, 0));
            }
            at += count;
        }
        return direct;
    }

    // The same when one call reads on into a slab.
    @ParameterizedTest
    @CsvSource({"1, 4", "7, 4", "4096, 4", "100000, 0"
    }) // the end of a segment that arrives in pieces is too small for a view
    void rts_payloadReadToItsPlaceAndOnIntoASlab_littleElseThanHeadersComesByTheSlab(int piece, int endsBySlab) {
        StreamPair p = new StreamPair(false, false, 30_000, Optional.empty());
        Region local = p.a.region(100_000);
        Region remote = p.b.region(100_000);
        StreamPair.fill(local, 1);
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 5)
                        .addElement(local.localKey(), 3, 99_001));
        p.a.transmit(0, 1 << 20);
        Slab slab = new Slab(1000);
        int bySlab = 0;
        for (int at = 0; at < p.a.wire.length; ) {
            ByteBuffer target = p.b.stream.receiveTarget();
            int direct = target.remaining();
            int rest = Math.min(slab.capacity(), p.b.stream.receiveAhead(direct));
            int count = Math.min(Math.min(direct + rest, piece), p.a.wire.length - at);
            int first = Math.min(direct, count);
            target.put(p.a.wire, at, first);
            if (first > 0) {
                p.b.stream.onFilled(first, 0);
            }
            MemorySegment.copy(p.a.wire, at + first, slab.segment(), JAVA_BYTE, 0, count - first);
            assertEquals(count - first, p.b.stream.onBytes(slab, 0, count - first, 0));
            bySlab += count - first;
            at += count;
        }
        assertCopied(local, 3, remote, 5, 99_001);
        // Twice a slab: the first frame that a responder sees is collected as a whole.
        int expected = 2 * slab.capacity() + endsBySlab * 8192;
        assertTrue(bySlab < expected + 100, bySlab + " bytes came by the slab");
    }

    // The first chunk of a message in a single segment, whatever its length.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_firstChunkOfAnyLength_countsRight(Framing framing) {
        Victim v = Victim.initiator(framing);
        int msn = 0;
        for (int length : new int[] {0, 1, 2, 3, 31, 32, 33, 90}) {
            for (int chunk = 1; chunk < 150; chunk++) {
                byte[] bytes = payload(length);
                int half = length / 2;
                v.postReceive(3, chunk, 100);
                v.postReceive(4, 1000 + chunk, 100);
                // One message in one segment of DDP, and one in two.
                v.peer.add(send(true, ++msn, 0, bytes));
                v.peer.add(send(false, ++msn, 0, Arrays.copyOf(bytes, half)));
                v.peer.add(send(true, msn, half, Arrays.copyOfRange(bytes, half, length)));
                v.give(chunk, Integer.MAX_VALUE);
                v.give();
                // RFC 5041 section 3 [4, 7], RFC 5044 sections 3 [5] and 4.3 [9, 11, 12]: boundaries and lengths
                // survive, and nothing of the framing is seen, however many FPDUs share a segment.
                assertEquals(
                        List.of("3 RECEIVE SUCCESS " + length, "4 RECEIVE SUCCESS " + length), v.end.completions());
                v.expect(v.inbox, chunk, bytes);
                v.expect(v.inbox, 1000 + chunk, bytes);
            }
            v.assertMemory();
        }
    }
}
