package io.verbena.tools.base;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The other side of {@link ServerProcess}: standard input brings a token, and its end ends this process. */
public final class ParentProcess {

    private static final long GRACE_MS = 3_000;

    private ParentProcess() {}

    /**
     * Reads the token, and from now on ends this process soon after standard input ends.
     *
     * @param stop is raised then; three seconds later the process is ended by force
     * @throws Failure if the first line is not a token
     */
    public static byte[] attach(StopSignal stop) throws Failure {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        byte[] token = token(in);
        Thread.ofPlatform().daemon().name("verbena-parent").start(() -> endWithParent(in, stop));
        return token;
    }

    private static byte[] token(BufferedReader in) throws Failure {
        try {
            String line = in.readLine();
            return HexFormat.of().parseHex(line == null ? "" : line.strip());
        } catch (IllegalArgumentException e) {
            throw new Failure("The first line of standard input must be a token in hexadecimal", e);
        } catch (IOException e) {
            throw new Failure("Cannot read standard input: " + e.getMessage(), e);
        }
    }

    private static void endWithParent(BufferedReader in, StopSignal stop) {
        try {
            String line = in.readLine();
            while (line != null) {
                line = in.readLine();
            }
        } catch (IOException e) {
            System.err.println("Cannot read standard input: " + e.getMessage());
        }
        stop.raise();
        try {
            Thread.sleep(GRACE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(1);
    }
}
