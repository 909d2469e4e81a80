package io.verbena.rnic;

import io.verbena.engine.RnicEngine;
import io.verbena.notify.RegisteredHandler;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.WorkTally;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.memory.SoftVirtualMemory;
import io.verbena.text.AddressText;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.TransportChanges;
import io.verbena.verbs.VirtualMemoryFigures;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Reads the figures of an RNIC in the thread that asks for them. Engines, posters and handler processors only count; they neither
 * wait for the sampler nor allocate for it.
 */
final class FigureSampler {

    private static final CompletionOpcode[] OPCODES = CompletionOpcode.values();

    /** Their names as values of attributes. */
    private static final String[] OPERATIONS =
            Arrays.stream(OPCODES).map(FigureSampler::lower).toArray(String[]::new);

    private static final List<CompletionOpcode> ACCESSES = List.of(
            CompletionOpcode.WRITE,
            CompletionOpcode.READ,
            CompletionOpcode.COMPARE_AND_SWAP,
            CompletionOpcode.FETCH_AND_ADD);

    /** The definitions of what a tally has, of one kind of object. */
    private record WorkFigures(Figure operations, Figure io, Figure failures, Figure peerOperations, Figure peerIo) {}

    private static final WorkFigures OF_QUEUE_PAIR = new WorkFigures(
            RnicFigures.OPERATIONS,
            RnicFigures.IO,
            RnicFigures.FAILURES,
            RnicFigures.PEER_OPERATIONS,
            RnicFigures.PEER_IO);
    private static final WorkFigures OF_RNIC = new WorkFigures(
            RnicFigures.ALL_OPERATIONS,
            RnicFigures.ALL_IO,
            RnicFigures.ALL_FAILURES,
            RnicFigures.ALL_PEER_OPERATIONS,
            RnicFigures.ALL_PEER_IO);

    private final RnicContext context;
    private final TransportLimits limits;

    FigureSampler(RnicContext context, TransportLimits limits) {
        this.context = context;
        this.limits = limits;
    }

    /** The figures of the RNIC and of these objects. */
    Figures sample(
            QueuePairTotals.Moment queuePairs,
            Collection<SoftCompletionQueue> completionQueues,
            Collection<SoftListener> listeners,
            Collection<SoftVirtualMemory> virtualMemories) {
        Figures.Builder rnic = Figures.of("rnic")
                .text("provider", limits.provider())
                .text("transport", limits.type())
                .text("state", context.closed() ? "CLOSED" : "OPEN")
                .value(RnicFigures.QUEUE_PAIRS, queuePairs.queuePairs().size())
                .value(RnicFigures.QUEUE_PAIRS_CREATED, queuePairs.created())
                .value(RnicFigures.REGIONS, context.regions().size())
                .value(RnicFigures.KEYS, context.regions().remoteKeyCount())
                .value(RnicFigures.VIOLATIONS, context.violations().total());
        context.events().showCounts(rnic);
        work(rnic, OF_RNIC, queuePairs.work());
        for (int i = 0; i < context.engines().size(); i++) {
            rnic.part(engine(context.engines().get(i)));
        }
        queuePairs.queuePairs().forEach(each -> rnic.part(queuePair(each)));
        completionQueues.forEach(each -> rnic.part(completionQueue(each)));
        context.handlers().all().forEach(each -> rnic.part(handler(each)));
        listeners.forEach(each -> rnic.part(listener(each)));
        virtualMemories.forEach(each -> rnic.part(virtualMemory(each)));
        context.events().showPast(rnic);
        return rnic.build();
    }

    private Figures engine(RnicEngine engine) {
        Figures.Builder figures = Figures.of("engine")
                .identity("number", engine.index())
                .text("state", engine.failed() ? "FAILED" : "WORKING")
                .value(RnicFigures.ENDPOINTS, engine.members());
        context.environment().activity(engine.index()).ifPresent(activity -> {
            figures.value(RnicFigures.ROUNDS, activity.rounds());
            activity.parks().ifPresent(parks -> figures.value(RnicFigures.PARKS, parks));
            activity.busyNs().ifPresent(busyNs -> figures.value(RnicFigures.BUSY, busyNs));
        });
        return figures.build();
    }

    private static Figures queuePair(SoftQueuePair queuePair) {
        QueuePairEndpoint endpoint = queuePair.endpoint();
        WorkQueues queues = queuePair.queues();
        Figures.Builder figures = Figures.of("queue_pair")
                .identity("number", "0x" + HexFormat.of().toHexDigits(queuePair.number(), 6))
                .text("state", endpoint.state().name())
                .text("service", queuePair.options().service())
                .text("engine", queuePair.engine().index())
                .text("send_cq", queuePair.sendSide().cq().number())
                .text("receive_cq", queuePair.receiveSide().cq().number());
        endpoint.connection().ifPresent(connection -> describe(figures, connection));
        work(figures, OF_QUEUE_PAIR, queues.tally());
        queue(
                figures,
                "send",
                queuePair.options().sendDepth(),
                queues.send().retired(),
                queues.send().posted());
        if (!queues.receive().isShared()) {
            queue(
                    figures,
                    "receive",
                    queuePair.options().receiveDepth(),
                    queues.receive().retired(),
                    queues.receive().posted());
        }
        endpoint.describePath(figures);
        return figures.build();
    }

    private static void describe(Figures.Builder figures, SoftConnection connection) {
        figures.text("connection", connection.state())
                .text("peer", AddressText.of(connection.remoteAddress()))
                .text("carrier", connection.transport());
        if (!connection.reason().isEmpty()) {
            figures.text("reason", connection.reason());
        }
        if (connection.survives()) {
            TransportChanges changes = connection.transportChanges();
            figures.value(RnicFigures.TRANSPORT_CHANGES, changes.changes())
                    .value(RnicFigures.TRANSPORT_REQUESTS, "repeated", changes.repeated())
                    .value(RnicFigures.TRANSPORT_REQUESTS, "recovered", changes.recovered());
        }
    }

    private static void work(Figures.Builder figures, WorkFigures of, WorkTally tally) {
        long sentBytes = 0;
        long receivedBytes = 0;
        for (CompletionOpcode opcode : OPCODES) {
            long operations = tally.operations(opcode);
            if (operations > 0) {
                figures.value(of.operations(), OPERATIONS[opcode.ordinal()], operations);
            }
            switch (opcode) {
                case SEND, WRITE -> sentBytes += tally.bytes(opcode);
                case BIND, LOCAL_INVALIDATE, DELAY -> {}
                case RECEIVE_WRITE_IMMEDIATE -> {} // its bytes are those of a Write of the peer, which peerWork counts
                default -> receivedBytes += tally.bytes(opcode);
            }
        }
        figures.value(of.io(), "transmit", sentBytes)
                .value(of.io(), "receive", receivedBytes)
                .value(of.failures(), "error", tally.errors())
                .value(of.failures(), "flushed", tally.flushed())
                .value(of.failures(), "unused", tally.unused());
        peerWork(figures, of, tally);
    }

    private static void peerWork(Figures.Builder figures, WorkFigures of, WorkTally tally) {
        long writtenBytes = 0;
        for (CompletionOpcode opcode : ACCESSES) {
            long operations = tally.served(opcode);
            if (operations > 0) {
                figures.value(of.peerOperations(), OPERATIONS[opcode.ordinal()], operations);
            }
            writtenBytes += opcode == CompletionOpcode.READ ? 0 : tally.servedBytes(opcode);
        }
        figures.value(of.peerIo(), "transmit", tally.servedBytes(CompletionOpcode.READ))
                .value(of.peerIo(), "receive", writtenBytes);
    }

    /** The retired index is read first, so that a queue never seems to hold a negative number of requests. */
    private static void queue(Figures.Builder figures, String name, int depth, long retired, long posted) {
        figures.value(RnicFigures.QUEUE_LIMIT, name, depth)
                .value(RnicFigures.QUEUE_POSTED, name, posted)
                .value(RnicFigures.QUEUE_OUTSTANDING, name, posted - retired);
    }

    private static Figures completionQueue(SoftCompletionQueue cq) {
        HandlerFigures handler = cq.notifier().totals();
        Figures.Builder figures = Figures.of("completion_queue")
                .identity("number", cq.number())
                .text("armed", cq.notifier().armed())
                .text("overflowed", cq.overflowed())
                .text("handler", cq.notifier().handlerNumber())
                .value(RnicFigures.ENTRIES, cq.size())
                .value(RnicFigures.ENTRY_LIMIT, cq.capacity())
                .value(RnicFigures.ENTRIES_HIGHEST, cq.highest())
                .value(RnicFigures.POLLED, cq.polled());
        if (handler.events() > 0) {
            figures.value(RnicFigures.HANDLER_RUNS, handler.events())
                    .value(RnicFigures.HANDLER_COMPLETIONS, handler.completions())
                    .value(RnicFigures.HANDLER_FAILURES, handler.failures())
                    .value(RnicFigures.HANDLER_TIME, handler.inHandlerNs());
        }
        return figures.build();
    }

    private static Figures handler(RegisteredHandler handler) {
        HandlerFigures totals = handler.totals();
        return Figures.of("handler")
                .identity("number", handler.id().value())
                .text("processor", handler.processor())
                .text("cores", handler.cores().isEmpty() ? "any" : new TreeSet<>(handler.cores()))
                .text("class", handler.options().serviceClass())
                .text("priority", handler.options().priority())
                .value(RnicFigures.RUNS, totals.events())
                .value(RnicFigures.RUN_COMPLETIONS, totals.completions())
                .value(RnicFigures.RUN_FAILURES, totals.failures())
                .value(RnicFigures.RUN_TIME, totals.inHandlerNs())
                .value(RnicFigures.LONGEST_RUN, totals.inHandlerMaxNs())
                .build();
    }

    private static Figures listener(SoftListener listener) {
        return Figures.of("listener")
                .identity("address", AddressText.of(listener.localAddress()))
                .value(RnicFigures.WAITING, listener.waiting())
                .value(RnicFigures.BACKLOG, listener.backlog())
                .value(RnicFigures.REFUSED, listener.refused())
                .value(RnicFigures.DROPPED, listener.dropped())
                .build();
    }

    private static Figures virtualMemory(SoftVirtualMemory memory) {
        VirtualMemoryFigures figures = memory.figures();
        return Figures.of("virtual_memory")
                .identity("number", memory.number())
                .value(RnicFigures.FRAMES, "free", figures.freeFrames())
                .value(RnicFigures.FRAMES, "used", figures.frames() - figures.freeFrames())
                .value(RnicFigures.SEGMENTS, figures.segments())
                .value(RnicFigures.MAPPED, figures.mappedBytes())
                .value(RnicFigures.FAULTS, figures.faults())
                .value(RnicFigures.PAGES, "read", figures.pagedIn())
                .value(RnicFigures.PAGES, "read_ahead", figures.pagedAhead())
                .value(RnicFigures.PAGES, "evicted", figures.evicted())
                .value(RnicFigures.PAGES, "written", figures.written())
                .value(RnicFigures.PAGE_FAILURES, "read", figures.failedReads())
                .value(RnicFigures.PAGE_FAILURES, "write", figures.failedWrites())
                .value(RnicFigures.PAGES_AWAITED, figures.waiting())
                .build();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
