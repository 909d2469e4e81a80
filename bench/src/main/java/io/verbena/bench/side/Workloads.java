package io.verbena.bench.side;

import io.verbena.bench.side.VerbenaStream.Operation;
import io.verbena.bench.side.peer.Contestant;
import io.verbena.verbs.Progress;
import java.io.IOException;

/** Verbena's contestants without their peers, for a profile. */
public final class Workloads {

    private Workloads() {}

    /** Writes of a size in a mode of progress: ping-pong for 8 bytes and less, otherwise one way. */
    public static Contestant writes(int messageBytes, Progress progress, int socketBufferBytes) throws IOException {
        VerbenaPair.Mode mode = new VerbenaPair.Mode(progress, socketBufferBytes);
        return messageBytes <= Long.BYTES
                ? new VerbenaPingPong(false, Long.BYTES, mode)
                : new VerbenaStream(Operation.WRITE, messageBytes, mode);
    }
}
