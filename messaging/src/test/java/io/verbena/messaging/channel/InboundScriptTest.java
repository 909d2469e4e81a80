package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Payloads;
import io.verbena.messaging.ScriptedPeer;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.messaging.ring.Immediate;
import io.verbena.messaging.ring.SendRing;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How an endpoint interprets bytes in its ring, written one after the other by a peer that the test plays. */
class InboundScriptTest {

    private static final int KIND = 3;
    private static final int LENGTH = 20;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final ChannelOptions OPTIONS = ChannelOptions.defaults()
            .withTimes(Duration.ofSeconds(1000), Duration.ofSeconds(100), Duration.ofSeconds(100));

    private ScriptedEndpoint endpoint;
    private Inbox inbox;
    private ScriptedPeer peer;
    private Acknowledgement ring;

    @BeforeEach
    void connect() throws IOException {
        endpoint = new ScriptedEndpoint(OPTIONS);
        inbox = endpoint.inbox;
        peer = endpoint.peer;
        ring = endpoint.ring;
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    private MemorySegment message(int number) {
        return ScriptedPeer.message(ring, number, KIND, 0, 0, 0, LENGTH);
    }

    /** The first message is announced; from here on the ring is polled. */
    private void first() {
        MemorySegment message = ScriptedPeer.message(ring, 1, KIND, SlotLayout.ANNOUNCED, 0, 0, LENGTH);
        peer.announce(ring, 0, message, 0, message.byteSize());
        expect(1);
    }

    private void expect(int number) {
        peer.until(() -> !inbox.arrived.isEmpty());
        inbox.expect(Payloads.bytes(LENGTH, number));
        nothing();
    }

    private void nothing() {
        assertTrue(inbox.arrived.isEmpty(), "an element that was not whole");
        assertEquals(0, inbox.ended.size(), inbox.ended.toString());
    }

    private void ends(String what) {
        peer.until(() -> !inbox.ended.isEmpty());
        assertTrue(inbox.ended.getFirst().contains(what), inbox.ended.getFirst());
        assertTrue(inbox.arrived.isEmpty());
    }

    @Test
    void head_withoutTail_isNotShownUntilTheTailCame() {
        first();
        MemorySegment message = message(2);
        peer.write(ring, 1, message, 0, SlotLayout.tailOffset(LENGTH));
        nothing();
        peer.write(ring, 1, message, SlotLayout.tailOffset(LENGTH), message.byteSize());
        expect(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void tailOfAnotherMessage_isNone(int number) {
        first();
        MemorySegment message = message(2);
        SlotLayout.putFlag(
                message,
                SlotLayout.tailOffset(LENGTH),
                SlotLayout.tail(ring.ring().nonce(), number));
        peer.write(ring, 1, message, 0, message.byteSize());
        nothing();
        MemorySegment good = message(2);
        peer.write(ring, 1, good, SlotLayout.tailOffset(LENGTH), good.byteSize());
        expect(2);
    }

    @Test
    void tailOfAnotherRing_isNone() {
        first();
        MemorySegment message = message(2);
        SlotLayout.putFlag(
                message,
                SlotLayout.tailOffset(LENGTH),
                SlotLayout.tail(ring.ring().nonce() + 1, 2));
        peer.write(ring, 1, message, 0, message.byteSize());
        nothing();
    }

    @Test
    void tailOfTheLapBefore_isNotTakenForTheNewOne() {
        first();
        for (int number = 2; number <= 4; number++) {
            peer.write(ring, number - 1, message(number), 0, message(number).byteSize());
            expect(number);
        }
        MemorySegment fifth = message(5);
        peer.write(ring, 0, fifth, 0, SlotLayout.tailOffset(LENGTH)); // the slot has the tail of number 1
        nothing();
        peer.write(ring, 0, fifth, SlotLayout.tailOffset(LENGTH), fifth.byteSize());
        expect(5);
    }

    @Test
    void headOfTheLapBefore_isNothingNew() {
        first();
        for (int number = 2; number <= 4; number++) {
            peer.write(ring, number - 1, message(number), 0, message(number).byteSize());
            expect(number);
        }
        peer.write(ring, 0, message(1), 0, message(1).byteSize());
        peer.write(ring, 0, message(6), 0, message(6).byteSize());
        nothing();
    }

    @Test
    void tailDoesNotCome_channelEndsAfterTheBound() {
        first();
        peer.write(ring, 1, message(2), 0, SlotLayout.tailOffset(LENGTH));
        endpoint.nowNs += 100 * SECOND_NS;
        peer.sync();
        nothing();
        endpoint.nowNs += 1;
        ends("torn");
    }

    @ParameterizedTest
    @ValueSource(ints = {701, -1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void lengthThatCannotBe_endsTheChannel(int length) {
        first();
        MemorySegment message = message(2);
        SlotLayout.putFlag(message, 0, SlotLayout.head(2, length));
        peer.writeLast(ring, 1, message);
        ends("into a buffer of 700");
    }

    @Test
    void moreSlotsGivenBackThanWereUsed_endsTheChannel() {
        first();
        MemorySegment message = ScriptedPeer.message(ring, 2, KIND, 0, 1, 0, LENGTH);
        peer.writeLast(ring, 1, message);
        ends("returned 1 slots");
    }

    @Test
    void announcedMessage_isNotTakenBeforeItsCompletion() {
        first();
        MemorySegment message = ScriptedPeer.message(ring, 2, KIND, SlotLayout.ANNOUNCED, 0, 0, LENGTH);
        peer.write(ring, 1, message, 0, message.byteSize());
        nothing();
        peer.announce(ring, 1, message, 0, 8);
        expect(2);
    }

    @Test
    void halfTheRingTaken_isGivenBack() {
        first();
        assertEquals(0, peer.returned());
        peer.write(ring, 1, message(2), 0, message(2).byteSize());
        expect(2);
        peer.until(() -> peer.returned() == 2);
    }

    @Test
    void notTaken_isShownAgainAtTheNextProgress() {
        first();
        inbox.accepts = false;
        peer.write(ring, 1, message(2), 0, message(2).byteSize());
        nothing();
        inbox.accepts = true;
        expect(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, (1 << 20) + 1, Long.MAX_VALUE})
    void enlargementToASizeThatCannotBe_isRefused_andTheRingStays(long wanted) {
        first();
        MemorySegment message = ScriptedPeer.message(ring, 2, SendRing.ENLARGE, 0, 0, wanted, 0);
        peer.write(ring, 1, message, 0, message.byteSize());
        Acknowledgement answer = peer.acknowledgement(2);
        assertEquals(RefusalReason.TOO_LARGE, answer.refusal());
        assertEquals(ring.ring().address(), answer.ring().address());
        assertEquals(ring.ring().rkey(), answer.ring().rkey());
        peer.write(ring, 2, message(3), 0, message(3).byteSize());
        expect(3);
    }

    @Test
    void enlargement_anotherRingWithAnotherNonce_numbersGoOn() {
        first();
        MemorySegment message = ScriptedPeer.message(ring, 2, SendRing.ENLARGE, 0, 0, 5000, 0);
        peer.write(ring, 1, message, 0, message.byteSize());
        Acknowledgement larger = peer.acknowledgement(2);
        assertEquals(RefusalReason.NONE, larger.refusal());
        assertEquals(5000, larger.payloadBytes());
        assertTrue(larger.ring().nonce() != ring.ring().nonce());
        ring = larger;
        peer.write(ring, 2, message(3), 0, message(3).byteSize());
        expect(3);
    }

    @Test
    void repetition_ofTheLastRequest_isAnsweredAgain() {
        first();
        peer.forgetAcknowledgement();
        peer.say(Immediate.REPEAT.with(0, 2));
        peer.sync();
        peer.say(Immediate.REPEAT.with(0, 1));
        assertEquals(ring, peer.acknowledgement(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {0x0001_0000L, 0x1fff_0000L, 0x6000_0000L, 0xf000_0000L})
    void immediateDataThatMeansNothing_endsTheChannel(long data) {
        first();
        peer.say(data);
        ends(data < 0x2000_0000L ? "named virtual channel" : "unknown kind");
    }
}
