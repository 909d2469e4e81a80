package io.verbena.bench.connections;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Connections per second over RoCE beside those over iWARP: the program of {@link ConnectionRate} as fast as 16 threads can, with
 * the two providers in turn.
 *
 * <pre>{@code java -cp bench/target/quick/verbena-bench.jar io.verbena.bench.connections.ConnectionRates [COUNT [ROUNDS]]}</pre>
 */
public final class ConnectionRates {

    private static final String PROVIDER = "io.verbena.provider";

    private ConnectionRates() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        long count = arguments.length > 0 ? Long.parseLong(arguments[0]) : 10_000;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 7;
        double[] ratios = new double[rounds];
        // The first round warms up this process; the other one is new in each round.
        for (int round = -1; round < rounds; round++) {
            double roce = perSecond("roce", count);
            double iwarp = perSecond("iwarp", count);
            if (round >= 0) {
                ratios[round] = roce / iwarp;
                System.out.printf(
                        Locale.ROOT,
                        "roce %.0f, iwarp %.0f connections per second, ratio %.2f%n",
                        roce,
                        iwarp,
                        ratios[round]);
            }
        }
        Arrays.sort(ratios);
        System.out.printf(
                Locale.ROOT, "median ratio %.2f (%.2f to %.2f)%n", ratios[rounds / 2], ratios[0], ratios[rounds - 1]);
    }

    private static double perSecond(String provider, long count) throws IOException, InterruptedException {
        System.setProperty(PROVIDER, provider);
        try (OtherProcess other = OtherProcess.start(RateServer.class);
                Rnic rnic = Rnic.open(RnicOptions.defaults())) {
            ConnectionRate run = new ConnectionRate(rnic, other.address());
            double perSecond = run.mostPerSecond(count);
            if (!run.firstFailure().isEmpty()) {
                throw new IOException(provider + ": a connection failed: " + run.firstFailure());
            }
            return perSecond;
        }
    }
}
