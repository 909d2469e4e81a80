package io.verbena.tools.perftest;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeProgram;
import io.verbena.tools.exchange.ExchangeSocket;
import io.verbena.tools.text.Latencies;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One side of a program of perftest with one queue pair. The client measures; the server of a Write, Read or atomic test is passive,
 * and the server of a Send or latency test takes part.
 */
public final class Perftest implements ExchangeProgram<PerftestResult> {

    private static final int EXCHANGES_AFTER_CONNECT = 2;

    private final Rnic rnic;
    private final PerftestSettings settings;
    private final StopSignal stop;
    private final Consumer<String> report;
    private final PerftestEnd end;
    private final PerftestMessages messages;

    /**
     * Creates the queue pair and its memory; all of it ends with the RNIC.
     *
     * @param report receives lines for the user
     * @throws Failure if the RNIC does not support the operation
     */
    public Perftest(Rnic rnic, PerftestSettings settings, StopSignal stop, Consumer<String> report) throws Failure {
        this.rnic = rnic;
        this.settings = settings;
        this.stop = stop;
        this.report = report;
        end = new PerftestEnd(rnic, settings, stop);
        messages = new PerftestMessages(settings, end);
    }

    /** Connects the queue pair by hand. */
    @Override
    public PerftestResult run(ExchangeSocket socket) throws IOException, Failure {
        PerftestExchange exchange = new PerftestExchange(new TcpChannel(socket));
        int mtuBytes = exchange.begin(settings.path().mtuBytes());
        end.initialize();
        meet(exchange);
        end.connect(mtuBytes);
        return play(exchange);
    }

    /** Connects the queue pair through rdma_cm, as the client. */
    public PerftestResult connect(InetSocketAddress server) throws IOException, Failure {
        try (ManagedPair pair = ManagedPair.connect(rnic, server, settings, stop)) {
            return run(pair);
        }
    }

    /**
     * Connects the queue pair through rdma_cm, as the server of one client.
     *
     * @param ready receives the local address once a client can connect
     */
    public PerftestResult serve(InetSocketAddress local, Consumer<InetSocketAddress> ready)
            throws IOException, Failure {
        try (ManagedPair pair = ManagedPair.accept(rnic, local, ready, settings, stop)) {
            return run(pair);
        }
    }

    private PerftestResult run(ManagedPair pair) throws IOException, Failure {
        PerftestExchange exchange = new PerftestExchange(pair.channel());
        exchange.begin(settings.path().mtuBytes());
        exchange.addresses(end.own(), 1);
        pair.connect(end);
        exchange.addresses(end.own(), 1);
        meet(exchange);
        return play(exchange);
    }

    private void meet(PerftestExchange exchange) throws IOException, Failure {
        end.theirs(exchange.addresses(end.own(), settings.test().op().exchangesBeforeConnect()));
        report.accept("  local address:  " + end.own());
        report.accept("  remote address: " + end.theirs());
    }

    private PerftestResult play(PerftestExchange exchange) throws IOException, Failure {
        PerftestOp op = settings.test().op();
        exchange.addresses(end.own(), EXCHANGES_AFTER_CONNECT);
        if (op.sends()) {
            if (op.latency() || !exchange.client()) {
                end.postReceives();
            }
            exchange.addresses(end.own(), 1);
        }
        PerftestResult result = measure(exchange);
        if (op.meetsAtTheEnd()) {
            exchange.finish(end.own());
        }
        return result;
    }

    private PerftestResult measure(PerftestExchange exchange) throws IOException, Failure {
        PerftestOp op = settings.test().op();
        boolean client = exchange.client();
        boolean active = client || op.sends() || op == PerftestOp.WRITE_LAT;
        if (!active) {
            exchange.await(stop::check);
        }
        Latencies latencies = new Latencies();
        long startNs = System.nanoTime();
        switch (op) {
            case WRITE_BW, READ_BW, ATOMIC_BW -> {
                if (client) {
                    messages.stream();
                }
            }
            case SEND_BW -> {
                if (client) {
                    messages.stream();
                } else {
                    startNs = messages.receiveAll();
                }
            }
            case WRITE_LAT -> messages.pingPongByMemory(client, latencies);
            case SEND_LAT -> messages.pingPongByMessages(client, latencies);
            case READ_LAT, ATOMIC_LAT -> {
                if (client) {
                    messages.requestOneByOne(latencies);
                }
            }
        }
        PerftestReport figures = PerftestReport.of(
                settings.messages().bytes(), settings.messages().iterations(), System.nanoTime() - startNs);
        if (op.exchangesResults()) {
            exchange.addresses(end.own(), 1);
            PerftestReport ofPeer = exchange.reports(figures);
            figures = client ? figures : ofPeer;
        }
        return new PerftestResult(
                op,
                settings.messages().bytes(),
                settings.messages().iterations(),
                op.latency() || !active && !op.exchangesResults() ? 0 : figures.bytesPerSecond(),
                op.latency() && active ? Optional.of(latencies) : Optional.empty());
    }
}
