package io.verbena.bench.side.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Two ranks of an implementation of MPI, started again for each run: half a round trip of messages of one size. */
public final class MpiRanks implements Contestant {

    private static final long RUN_LIMIT_S = 60;

    private final MpiProgram program;
    private final int messageBytes;

    public MpiRanks(Maker maker, int messageBytes) throws IOException {
        Path folder = Files.createTempDirectory("verbena-mpi");
        folder.toFile().deleteOnExit();
        program = maker.make(folder);
        this.messageBytes = messageBytes;
    }

    /** Compiles the program for an implementation. */
    public interface Maker {
        MpiProgram make(Path folder) throws IOException;
    }

    @Override
    public long run(long roundTrips) throws Exception {
        Process ranks = program.start("latency", messageBytes, Math.toIntExact(roundTrips));
        try {
            String out = new String(ranks.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!ranks.waitFor(RUN_LIMIT_S, TimeUnit.SECONDS) || ranks.exitValue() != 0) {
                throw new IOException(program.name() + " failed: " + out);
            }
            return Math.round(2 * roundTrips * Double.parseDouble(out));
        } finally {
            ranks.destroyForcibly();
        }
    }

    @Override
    public void close() {}
}
