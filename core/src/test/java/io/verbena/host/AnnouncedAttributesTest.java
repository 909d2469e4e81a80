package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An RNIC does what its attributes announce, and refuses one more than each limit. An attribute without a check is found. */
class AnnouncedAttributesTest {

    /** Names, numbers that are too large to be reached within a test, and what other tests assert (handlers, immediate data). */
    private static final Set<String> ELSEWHERE = Set.of(
            "provider",
            "transport",
            "device",
            "maxQueuePairs",
            "maxRegions",
            "maxCompletionQueues",
            "maxSharedReceiveQueues",
            "maxMessageBytes",
            "completionHandlers",
            "completionHandlersInUse",
            "immediateBits");

    private static final class Table implements AutoCloseable {
        private final Rnic rnic;
        private final RnicAttributes attributes;
        private final ProtectionDomain domain;
        private final CompletionQueue completions;
        private final Map<String, Runnable> rows = new LinkedHashMap<>();

        Table(String provider) {
            rnic = Rnic.open(RnicOptions.defaults().withProvider(provider));
            attributes = rnic.query();
            domain = rnic.allocateProtectionDomain();
            completions = rnic.createCompletionQueue(64);
            rows.put("services", this::services);
            rows.put("operations", this::operations);
            limit("maxWorkRequests", attributes.maxWorkRequests(), n -> queuePair(it -> it.withDepths(n, 1)));
            limit("maxScatterGather", attributes.maxScatterGather(), n -> queuePair(it -> it.withElements(n, n)));
            limit("maxInlineBytes", attributes.maxInlineBytes(), this::inline);
            limit("maxInboundReads", attributes.maxInboundReads(), n -> queuePair(it -> it.withReads(n, 1)));
            limit("maxOutboundReads", attributes.maxOutboundReads(), n -> queuePair(it -> it.withReads(1, n)));
            limit(
                    "maxCompletionEntries",
                    attributes.maxCompletionEntries(),
                    n -> rnic.createCompletionQueue(n).close());
            limit("maxPrivateDataBytes", attributes.maxPrivateDataBytes(), this::privateData);
        }

        private void limit(String name, int most, IntConsumer use) {
            rows.put(name, () -> {
                use.accept(most);
                assertThrows(IllegalArgumentException.class, () -> use.accept(most + 1), name);
            });
        }

        private void queuePair(UnaryOperator<QueuePairOptions> change) {
            domain.createQueuePair(change.apply(QueuePairOptions.of(completions)))
                    .close();
        }

        private void inline(int bytes) {
            QueuePairOptions options = QueuePairOptions.of(completions).withMaxInlineBytes(bytes);
            try (QueuePair queuePair = domain.createQueuePair(options)) {
                MemorySegment data = MemorySegment.ofArray(new byte[bytes]);
                queuePair.newWorkRequest().send().inlineData(data, 0, bytes);
            }
        }

        /** The RNIC looks at the private data before it looks for the peer. */
        private void privateData(int bytes) {
            ConnectionOptions options = ConnectionOptions.defaults().withPrivateData(new byte[bytes]);
            try (QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(completions))) {
                rnic.startConnect(queuePair, StreamProbe.loopback(9), options);
            }
        }

        private void services() {
            for (TransportService service : TransportService.values()) {
                if (service == TransportService.RELIABLE_DATAGRAM
                        && attributes.services().contains(service)) {
                    continue; // needs a domain of its own: ReliableDatagramCaptureTest
                }
                Runnable use = () -> queuePair(it -> it.withService(service));
                if (attributes.services().contains(service)) {
                    use.run();
                } else {
                    assertThrows(UnsupportedOperationException.class, use::run, service.name());
                }
            }
        }

        private void operations() {
            Set<WorkOpcode> templates = EnumSet.noneOf(WorkOpcode.class);
            try (QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(completions));
                    MemoryRegion memory = domain.allocate(64, AccessRight.LOCAL_WRITE)) {
                WorkRequest request = queuePair.newWorkRequest();
                templates.add(request.send().opcode());
                templates.add(request.sendWithInvalidate(1).opcode());
                templates.add(request.sendWithImmediate(1).opcode());
                templates.add(request.write(0, 1).opcode());
                templates.add(request.writeWithImmediate(0, 1, 1).opcode());
                templates.add(request.read(0, 1).opcode());
                templates.add(request.readWithInvalidate(0, 1, memory.rkey()).opcode());
                templates.add(request.compareAndSwap(0, 1, 1, 1).opcode());
                templates.add(request.fetchAndAdd(0, 1, 1).opcode());
                templates.add(request.localInvalidate(1).opcode());
                templates.add(request.delay(1).opcode());
                templates.add(request.receive().opcode());
                assertTrue(queuePair.postReceive(1, memory, 0, 8));
            }
            // Binding needs a window, and is asserted with windows.
            templates.addAll(EnumSet.of(WorkOpcode.BIND, WorkOpcode.UNBIND));
            assertEquals(templates, attributes.operations());
        }

        @Override
        public void close() {
            rnic.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce", "shm"})
    void attributes_areTrue(String provider) {
        try (Table table = new Table(provider)) {
            table.rows.values().forEach(Runnable::run);
            Set<String> unchecked = Arrays.stream(RnicAttributes.class.getRecordComponents())
                    .map(RecordComponent::getName)
                    .filter(name -> !ELSEWHERE.contains(name))
                    .collect(Collectors.toCollection(TreeSet::new));
            unchecked.removeAll(table.rows.keySet());
            assertEquals(Set.of(), unchecked);
        }
    }
}
