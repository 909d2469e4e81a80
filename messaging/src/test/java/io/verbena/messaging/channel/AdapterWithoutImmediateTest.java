package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Payloads;
import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.messaging.ring.ControlBlock;
import io.verbena.messaging.ring.Words;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels over RNICs without immediate data: a word is a Send after the Write. What the two sides agree on is in the greetings. */
class AdapterWithoutImmediateTest {

    private static final Words[] ALL = Words.values();
    private static final byte[] HELLO = {1};

    private static UnaryOperator<Rnic> rnic(boolean immediate) {
        return immediate ? UnaryOperator.identity() : WithoutImmediate::over;
    }

    private static void send(Pair pair, Channel channel, int seed, int length) {
        TransferVector vector = new TransferVector().add(Payloads.segment(length, seed), 0, length);
        pair.until(() -> {
            channel.transfer(0, vector);
            return vector.done();
        });
    }

    @ParameterizedTest
    @CsvSource({"false, true", "true, false", "false, false", "true, true"})
    void words_eachCombination_elementsArriveInOrder(boolean left, boolean right) throws IOException {
        ChannelOptions options = ChannelOptions.defaults().withMaxPolled(1);
        try (Pair pair = new Pair(options, options, rnic(left), rnic(right))) {
            List<Pair.Link> links =
                    List.of(pair.connect(), pair.connect()); // one of them is polled, the other announces
            for (Pair.Link link : links) {
                assertEquals(!left || !right, link.near().driver().poster().sends());
                assertEquals(!left || !right, link.far().driver().poster().sends());
            }
            for (int i = 0; i < 60; i++) {
                Pair.Link link = links.get(i / 2 % 2);
                int length = i * 701 % 16_000;
                send(pair, link.near(), i, length);
                send(pair, link.far(), i + 1000, length / 2);
                pair.until(() -> !pair.rightInbox.arrived.isEmpty() && !pair.leftInbox.arrived.isEmpty());
                pair.rightInbox.expect(Payloads.bytes(length, i));
                pair.leftInbox.expect(Payloads.bytes(length / 2, i + 1000));
            }
            long announced = links.stream()
                    .mapToLong(each -> each.near().figures().announced()
                            + each.far().figures().announced())
                    .sum();
            assertTrue(announced > 8, () -> announced + " announcements");
        }
    }

    @Test
    void words_manyElementsAtOnce_noneIsLostWhenTheSendQueueIsFull() throws IOException {
        ChannelOptions options = ChannelOptions.defaults().withMaxPolled(1);
        try (Pair pair = new Pair(options, options, rnic(false), rnic(false))) {
            Pair.Link polled = pair.connect();
            send(pair, polled.near(), 0, 8);
            pair.until(() -> !pair.rightInbox.arrived.isEmpty());
            pair.rightInbox.arrived.clear();
            Pair.Link link = pair.connect();
            int sent = 0;
            for (int arrived = 0; arrived < 500; ) {
                TransferVector vector = new TransferVector().add(Payloads.segment(64, sent), 0, 64);
                link.near().transfer(0, vector);
                if (vector.done()) {
                    sent++;
                } else {
                    pair.progress();
                }
                while (!pair.rightInbox.arrived.isEmpty()) {
                    pair.rightInbox.expect(Payloads.bytes(64, arrived++));
                }
            }
        }
    }

    @Test
    void sends_everyPairOfSides_isAgreedAlike() {
        for (Words one : ALL) {
            for (Words other : ALL) {
                assertEquals(one.sends(other), other.sends(one), one + " and " + other);
                boolean needed = one == Words.SENDS_ONLY || other == Words.SENDS_ONLY;
                boolean impossible = needed && (one == Words.IMMEDIATE_ONLY || other == Words.IMMEDIATE_ONLY);
                assertEquals(impossible ? Optional.empty() : Optional.of(needed), one.sends(other));
            }
        }
    }

    /** A peer over the verbs alone. */
    private static final class Stranger {
        final ProtectionDomain domain;
        final CompletionQueue cq;
        final QueuePair queuePair;
        final MemoryRegion control;

        Stranger(Rnic rnic) {
            domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(64);
            queuePair = domain.createQueuePair(cq);
            control = domain.allocate(64L * ControlBlock.BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        }

        ConnectionOptions greeting(Words words) {
            int virtualChannels = ChannelOptions.defaults().virtualChannels();
            return ConnectionOptions.defaults()
                    .withPrivateData(new ChannelGreeting(control.remote(), virtualChannels, words, HELLO).toBytes());
        }
    }

    @ParameterizedTest
    @EnumSource(Words.class)
    void olderConnector_endpointWithoutImmediate_isRejected(Words words) throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults(), ChannelOptions.defaults(), rnic(true), rnic(false))) {
            Stranger stranger = new Stranger(pair.leftRnic);
            Connection connection =
                    pair.leftRnic.startConnect(stranger.queuePair, pair.listen(), stranger.greeting(words));
            pair.until(() -> connection.state() != ConnectionState.CONNECTING);
            assertEquals(
                    words == Words.IMMEDIATE_ONLY ? ConnectionState.REJECTED : ConnectionState.ESTABLISHED,
                    connection.state());
        }
    }

    @Test
    void greeting_ofASideThatNeedsSends_isNoneOfAnOlderVersion() {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Stranger stranger = new Stranger(pair.leftRnic);
            for (Words words : ALL) {
                byte[] greeting = stranger.greeting(words).privateData();
                assertEquals(words == Words.SENDS_ONLY ? '2' : '1', greeting[3]);
                assertEquals(words, ChannelGreeting.of(greeting).orElseThrow().words());
                greeting[5] = 3;
                assertTrue(ChannelGreeting.of(greeting).isEmpty());
                greeting[5] = (byte) (words == Words.SENDS_ONLY ? 0 : 2);
                assertTrue(ChannelGreeting.of(greeting).isEmpty());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void olderAcceptor_connectorWithoutImmediate_channelEndsWithOneSentence(boolean rejects) throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults(), ChannelOptions.defaults(), rnic(false), rnic(true));
                Listener listener = pair.rightRnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Stranger stranger = new Stranger(pair.rightRnic);
            pair.left.connect(listener.localAddress(), HELLO);
            Optional<ConnectionRequest>[] request = newArray();
            pair.until(() -> {
                request[0] = listener.nextRequest(Duration.ZERO);
                return request[0].isPresent();
            });
            if (rejects) {
                request[0].orElseThrow().reject(new byte[] {1});
            } else {
                request[0].orElseThrow().startAccept(stranger.queuePair, stranger.greeting(Words.IMMEDIATE_ONLY));
            }
            pair.until(() -> {
                pair.rightRnic.progress();
                return !pair.leftInbox.ended.isEmpty();
            });
            String sentence = pair.leftInbox.ended.getFirst();
            assertTrue(sentence.contains("no immediate data") && sentence.endsWith("."), sentence);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Optional<ConnectionRequest>[] newArray() {
        return new Optional[] {Optional.empty()};
    }

    @ParameterizedTest
    @CsvSource({"EITHER, 4", "SENDS_ONLY, 3"})
    void messageThatIsNoWord_endsTheChannel(Words words, int bytes) throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Stranger stranger = new Stranger(pair.leftRnic);
            Connection connection =
                    pair.leftRnic.startConnect(stranger.queuePair, pair.listen(), stranger.greeting(words));
            pair.until(() -> connection.state() == ConnectionState.ESTABLISHED && !pair.rightInbox.opened.isEmpty());
            stranger.queuePair.postSend(1, stranger.control, 0, bytes, WrFlags.SIGNALLED);
            pair.until(() -> {
                pair.leftRnic.progress();
                return !pair.rightInbox.ended.isEmpty();
            });
            assertEquals(
                    "The peer sent a message of " + bytes + " bytes, which this protocol does not have.",
                    pair.rightInbox.ended.getFirst());
        }
    }
}
