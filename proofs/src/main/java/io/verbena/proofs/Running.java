package io.verbena.proofs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that was started. Closing it ends it as a user does, by a signal. */
public final class Running implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final int MOST_LINES_SHOWN = 200;

    private final String name;
    private final Process process;
    private final Path witness;
    private final Thread reader;

    // Guarded by this.
    private final List<String> output = new ArrayList<>();
    private boolean outputEnded;

    Running(String name, Process process, Path witness) {
        this.name = name;
        this.process = process;
        this.witness = witness;
        reader = Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            add(e.toString());
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        output.add(line);
        notifyAll();
    }

    private synchronized void end() {
        outputEnded = true;
        notifyAll();
    }

    /** Waits for a line that contains the text, and returns it. */
    public synchronized String awaitLine(String text) throws InterruptedException {
        long startNs = System.nanoTime();
        for (int next = 0; ; next++) {
            while (next == output.size()) {
                long leftMs = PATIENCE.toMillis() - (System.nanoTime() - startNs) / 1_000_000;
                if (outputEnded || leftMs <= 0) {
                    throw new AssertionError("\"" + text + "\" is not in the output of " + this);
                }
                wait(leftMs);
            }
            if (output.get(next).contains(text)) {
                return output.get(next);
            }
        }
    }

    /** Ends the standard input of the program. */
    public void endInput() throws IOException {
        process.outputWriter().close();
    }

    /** Waits until the program has ended with exit code 0, and returns its output. */
    public List<String> awaitSuccess() throws InterruptedException {
        return awaitSuccess(PATIENCE);
    }

    /** The same, within another time. */
    public List<String> awaitSuccess(Duration patience) throws InterruptedException {
        List<String> all = awaitEnd(patience);
        if (process.exitValue() != 0) {
            throw new AssertionError("exit code " + process.exitValue() + " of " + this);
        }
        return all;
    }

    /** Waits until the program has ended with any exit code, and returns its output. */
    public List<String> awaitEnd(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience)) {
            throw new AssertionError("not ended within " + patience + ": " + this);
        }
        reader.join();
        return lines();
    }

    private synchronized List<String> lines() {
        return List.copyOf(output);
    }

    /** Ends the program, if it has not ended, and returns what its witness has written. */
    public Testimony testimony() throws IOException, InterruptedException {
        close();
        return Testimony.of(Files.readAllLines(witness));
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Override
    public synchronized String toString() {
        int lines = output.size();
        int first = Math.min(lines, MOST_LINES_SHOWN);
        int last = Math.max(first, lines - MOST_LINES_SHOWN);
        return name + ", with the output\n" + String.join("\n", output.subList(0, first))
                + (last > first ? "\n... " + (last - first) + " lines ...\n" : "\n")
                + String.join("\n", output.subList(last, lines));
    }
}
