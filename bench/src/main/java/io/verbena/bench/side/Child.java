package io.verbena.bench.side;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The main class of an experiment's own JVM: what one contestant does to the JIT's profile is not seen by other experiments. */
public final class Child {

    private Child() {}

    /** Arguments: experiment, pairs, quick or full, bytes of a socket buffer. */
    public static void main(String[] arguments) throws Exception {
        int pairs = Integer.parseInt(arguments[1]);
        Effort effort = arguments[2].equals("quick") ? Effort.quick(pairs) : Effort.full(pairs);
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err); // a library that prints does not disturb the figures
        Experiment experiment = new Catalogue(Integer.parseInt(arguments[3])).experiment(arguments[0]);
        int outcome = 1;
        try {
            new Runner(experiment, effort, out).run();
            outcome = 0;
        } catch (Throwable e) {
            e.printStackTrace();
        } finally {
            System.exit(outcome); // whatever threads a peer left behind
        }
    }
}
