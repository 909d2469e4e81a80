package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.ib.rd.RdContext;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A Read whose response waits for memory. The responder sends nothing by itself; when the requester repeats its request, "receiver not ready"
 * is the answer, so that a peer whose memory is slow is not mistaken for a dead one.
 */
class AbsentMemoryTest {

    private static final int FIRST_PSN = 100;

    /** Repetitions that no silent peer survives. */
    private static final int MANY = 100;

    /** A Read of three packets, from memory of which the beginning is present. */
    private interface Reader {

        /** The request arrives, and what can be answered is. */
        void read();

        /** Delivers all packets. */
        void exchange();

        /** Advances to the next deadline of the requester, and delivers what it sends. Returns the answers, which are under way. */
        List<String> repeat();

        boolean suspended();

        /** The rest of the memory is present. */
        void arrive();

        List<String> completions();
    }

    /** On a connection: MTU 1024. */
    private static final class ConnectionReader implements Reader {
        private final RcPair pair;
        private final AbsentRange range;
        private final Region source;
        private final Region sink;

        ConnectionReader(int present, int notReadyRetries, RcOption... options) {
            pair = new RcPair(
                    RcPair.builder(RcPair.A_QP, RcPair.B_QP, FIRST_PSN, 900)
                            .retries(3, notReadyRetries)
                            .options(options)
                            .reliableConnection(),
                    RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, FIRST_PSN)
                            .options(options)
                            .reliableConnection());
            range = new AbsentRange(2_500, present * 1_024L);
            source = pair.b.regions.register(range, true, 1, RcPair.ALL);
            sink = pair.a.region(2_500);
        }

        @Override
        public void read() {
            pair.a.read(1, sink, source, 2_500);
            pair.run();
        }

        @Override
        public void exchange() {
            pair.run();
        }

        @Override
        public List<String> repeat() {
            pair.nextDeadline();
            pair.a.transmit(pair.nowNs);
            pair.deliver(pair.a, pair.b);
            pair.b.transmit(pair.nowNs);
            return pair.b.wireText();
        }

        @Override
        public boolean suspended() {
            return pair.b.engine.suspended();
        }

        @Override
        public void arrive() {
            range.arrive();
            pair.b.engine.resume();
        }

        @Override
        public List<String> completions() {
            if (pair.a.engine.failure().isPresent()) {
                pair.a.engine.flush();
            }
            return pair.a.completions();
        }
    }

    /** On an end-to-end context: MTU 256. */
    private static final class ContextReader implements Reader {
        private final List<RdNode> nodes = new ArrayList<>();
        private final AbsentRange range;
        private final Region source;
        private final Region sink;
        private long nowNs = 5;

        ContextReader(int present, int notReadyRetries) {
            for (int i = 0; i < 2; i++) {
                nodes.add(new RdNode(i, 1, 2, FIRST_PSN, notReadyRetries));
            }
            range = new AbsentRange(600, present * 256L);
            source = nodes.get(1).regions.register(range, true, 1, RcPair.ALL);
            sink = nodes.get(0).region(600);
        }

        @Override
        public void read() {
            nodes.get(0)
                    .pairs
                    .getFirst()
                    .post(
                            WorkOpcode.READ,
                            1,
                            0x10,
                            w -> w.wrId(1)
                                    .remoteAddress(source.baseAddress())
                                    .rkey(source.rkey())
                                    .addElement(sink.localKey(), 0, 600));
            exchange();
        }

        private void deliver(int from, int to) {
            nodes.get(from).transmit(nowNs);
            while (!nodes.get(from).wire(to).isEmpty()) {
                nodes.get(to).receive(from, nodes.get(from).wire(to).removeFirst(), nowNs);
            }
        }

        @Override
        public void exchange() {
            do {
                deliver(0, 1);
                deliver(1, 0);
                nodes.get(0).transmit(nowNs);
            } while (!nodes.get(0).wire(1).isEmpty());
        }

        @Override
        public List<String> repeat() {
            RdContext context = nodes.get(0).context(1);
            assertFalse(context.nextDeadlineNs() == Times.NEVER, "the requester waits indefinitely");
            nowNs = context.nextDeadlineNs();
            context.onDeadline(nowNs);
            deliver(0, 1);
            return nodes.get(1).sentTo(0, nowNs);
        }

        @Override
        public boolean suspended() {
            return nodes.get(1).context(0).suspended();
        }

        @Override
        public void arrive() {
            range.arrive();
            nodes.get(1).context(0).resume();
        }

        @Override
        public List<String> completions() {
            return nodes.get(0).pairs.getFirst().completions();
        }
    }

    private enum Service {
        CONNECTION,
        CONNECTION_WITH_SELECTIVE_REPEAT,
        CONTEXT;

        Reader reader(int present, int notReadyRetries) {
            return switch (this) {
                case CONNECTION -> new ConnectionReader(present, notReadyRetries);
                case CONNECTION_WITH_SELECTIVE_REPEAT ->
                    new ConnectionReader(present, notReadyRetries, RcOption.SELECTIVE_REPEAT);
                case CONTEXT -> new ContextReader(present, notReadyRetries);
            };
        }

        int bytes() {
            return this == CONTEXT ? 600 : 2_500;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECTION, 0", "CONNECTION, 2",
        "CONNECTION_WITH_SELECTIVE_REPEAT, 0", "CONNECTION_WITH_SELECTIVE_REPEAT, 2",
        "CONTEXT, 0", "CONTEXT, 2"
    })
    void responseWaits_eachRepeatedRequest_isAnsweredByOneRnrNakOfTheMissingPacket(Service service, int present) {
        Reader reader = service.reader(present, RcSettings.UNLIMITED);
        reader.read();
        assertTrue(reader.suspended());
        for (int i = 0; i < MANY; i++) {
            List<String> answers = reader.repeat();
            assertTrue(answers.size() <= 1, answers::toString);
            answers.forEach(each -> assertTrue(
                    each.contains("ACKNOWLEDGE psn=" + (FIRST_PSN + present) + " RNR NAK"), answers::toString));
            reader.exchange();
            assertEquals(List.of(), reader.completions(), "repetition " + i);
        }
        reader.arrive();
        reader.exchange();
        List<String> completions = reader.completions();
        if (completions.isEmpty()) {
            // The requester waits for the end of its RNR timer, and repeats its request.
            reader.repeat();
            reader.exchange();
            completions = reader.completions();
        }
        assertEquals(List.of("1 READ SUCCESS " + service.bytes()), completions);
    }

    @ParameterizedTest
    @CsvSource({"CONNECTION", "CONNECTION_WITH_SELECTIVE_REPEAT", "CONTEXT"})
    void responseWaits_limitOfRnrRetries_readFailsWithReceiverNotReady(Service service) {
        Reader reader = service.reader(1, 3);
        reader.read();
        int refusals = 0;
        List<String> completions = reader.completions();
        for (int i = 0; i < MANY && completions.isEmpty(); i++) {
            refusals += reader.repeat().size();
            reader.exchange();
            completions = reader.completions();
        }
        assertEquals(List.of("1 READ RECEIVER_NOT_READY " + service.bytes()), completions);
        assertEquals(1 + 3, refusals);
    }

    /** An answer that arrives by itself would be one more than the requests: an unproven peer may not cause it. */
    @Test
    void responseWaits_requestNotRepeated_nothingIsSent() {
        for (Service service : Service.values()) {
            Reader reader = service.reader(0, RcSettings.UNLIMITED);
            reader.read();
            reader.exchange();
            assertEquals(List.of(), reader.completions(), service::name);
            assertTrue(reader.suspended(), service::name);
        }
    }
}
