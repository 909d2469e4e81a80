package io.verbena.examples;

import io.verbena.messaging.Communicator;
import io.verbena.messaging.Request;
import io.verbena.messaging.Status;
import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sorts the lines of a text file. Each rank reads a part of it and sorts that; samples of all parts give the borders between ranks;
 * every line goes to the rank between whose borders it lies; rank 0 writes the parts one behind the other.
 *
 * <pre>verbena run -n 4 -- messaging/src/test/java/io/verbena/examples/SampleSort.java IN OUT</pre>
 */
public class SampleSort {

    private static final int SAMPLES = 64; // of each rank

    public static void main(String... args) throws Exception {
        if (args.length != 2) {
            System.err.println("usage: SampleSort IN OUT");
            System.exit(2);
        }
        try (Communicator world = Communicator.world()) {
            long lines = sort(world, Path.of(args[0]), Path.of(args[1]));
            if (world.rank() == 0) {
                System.out.println(lines + " lines sorted by " + world.size() + " ranks into " + args[1]);
            }
        }
    }

    /** Sorts; returns, on rank 0, how many lines there are. */
    public static long sort(Communicator world, Path in, Path out) throws Exception {
        String[] own = read(in, world.rank(), world.size());
        Arrays.sort(own);
        String[] borders = borders(world, own);
        String[] sorted = exchange(world, own, borders);
        Arrays.sort(sorted);
        return write(world, sorted, out);
    }

    /** The lines that begin in this rank's part of the file. */
    private static String[] read(Path in, int rank, int size) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(in.toFile(), "r")) {
            long start = file.length() * rank / size;
            long end = file.length() * (rank + 1) / size;
            if (start > 0) {
                file.seek(start - 1);
                start += file.read() == '\n' ? 0 : rest(file);
            }
            file.seek(end == 0 ? 0 : end - 1);
            if (end > 0 && end < file.length() && file.read() != '\n') {
                end += rest(file);
            }
            byte[] part = new byte[(int) Math.max(0, end - start)];
            file.seek(start);
            file.readFully(part);
            String text = new String(part, StandardCharsets.UTF_8);
            if (text.isEmpty()) {
                return new String[0];
            }
            return (text.endsWith("\n") ? text.substring(0, text.length() - 1) : text).split("\n", -1);
        }
    }

    /** Bytes up to and with the next end of a line. */
    private static long rest(RandomAccessFile file) throws Exception {
        long count = 0;
        for (int next = file.read(); next >= 0; next = file.read()) {
            count++;
            if (next == '\n') {
                break;
            }
        }
        return count;
    }

    private static String[] borders(Communicator world, String[] own) {
        List<String> samples = new ArrayList<>();
        for (int i = 0; i < SAMPLES && own.length > 0; i++) {
            samples.add(own[(int) ((long) own.length * i / SAMPLES)]);
        }
        if (world.rank() == 0) {
            for (int i = 1; i < world.size(); i++) {
                samples.addAll(List.of(receive(world, i, 0)));
            }
            samples.sort(null);
            List<String> borders = new ArrayList<>();
            for (int i = 1; i < world.size() && !samples.isEmpty(); i++) {
                borders.add(samples.get(samples.size() * i / world.size()));
            }
            for (int i = 1; i < world.size(); i++) {
                send(world, borders, i, 1).await();
            }
            return borders.toArray(String[]::new);
        }
        send(world, samples, 0, 0).await();
        return receive(world, 0, 1);
    }

    private static String[] exchange(Communicator world, String[] own, String[] borders) {
        List<Request> sends = new ArrayList<>();
        List<String> sorted = new ArrayList<>();
        int from = 0;
        for (int to = 0; to < world.size(); to++) {
            int end = from;
            while (end < own.length && (to >= borders.length || own[end].compareTo(borders[to]) < 0)) {
                end++;
            }
            List<String> part = Arrays.asList(own).subList(from, end);
            if (to == world.rank()) {
                sorted.addAll(part);
            } else {
                sends.add(send(world, part, to, 2));
            }
            from = end;
        }
        for (int i = 0; i < world.size(); i++) {
            if (i != world.rank()) {
                sorted.addAll(List.of(receive(world, i, 2)));
            }
        }
        Request.awaitAll(sends.toArray(Request[]::new));
        return sorted.toArray(String[]::new);
    }

    private static long write(Communicator world, String[] sorted, Path out) throws Exception {
        if (world.rank() > 0) {
            send(world, Arrays.asList(sorted), 0, 3).await();
            return sorted.length;
        }
        long lines = 0;
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(out))) {
            for (int i = 0; i < world.size(); i++) {
                String[] part = i == 0 ? sorted : receive(world, i, 3);
                lines += part.length;
                for (String line : part) {
                    file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        return lines;
    }

    private static Request send(Communicator world, List<String> lines, int to, int tag) {
        byte[] bytes = (lines.isEmpty() ? "" : String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        MemorySegment message = Arena.ofAuto().allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, message, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return world.isend(message, 0, bytes.length, to, tag);
    }

    /** A probe tells how long the message is. */
    private static String[] receive(Communicator world, int from, int tag) {
        Status status = world.probe(from, tag);
        MemorySegment message = Arena.ofAuto().allocate(Math.max(1, status.count()));
        world.recv(message, 0, status.count(), from, tag, status);
        if (status.count() == 0) {
            return new String[0];
        }
        byte[] bytes = message.asSlice(0, status.count() - 1).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
    }
}
