package io.verbena.storage.subsystem;

import io.verbena.storage.wire.CompletionEntry;
import java.util.Optional;

/**
 * What a {@link TargetQueue} wants done. The calls of one command are in order: a response follows the data that were put before it. The
 * caller of the engine executes them and reports the end of {@link #fetch} and {@link #run}, and of {@link #respond} when the memory of
 * the command can be used again.
 */
public interface QueueOutput {

    /** Reads memory of the host into {@link Command#buffer()}; then call {@link TargetQueue#onFetched}. */
    void fetch(Command command, long address, int key, int lengthBytes);

    /** Writes the start of {@link Command#buffer()} to memory of the host. */
    void put(Command command, long address, int key, int lengthBytes);

    /** Executes {@link Command#runOnDevice}, in any thread; then call {@link TargetQueue#onRun}. */
    void run(Command command);

    /**
     * Posts the receive {@link Command#slot()} again and sends the response; when the response has left, call {@link TargetQueue#onSent}.
     */
    void respond(Command command, CompletionEntry response, boolean invalidate, int key);

    /**
     * Connect was accepted: allocates the memory for all commands of the queue and posts its receives, except that of the Connect. Empty if
     * there is no memory. Until then a queue needs memory for one Connect only, so that a host that is not admitted holds little.
     *
     * @param first the memory of the queue so far; it is not used any more if the result is other memory
     */
    default Optional<QueueMemory> grow(QueueMemory first) {
        return Optional.of(first);
    }

    /** A device threw; the command that caused it fails with an internal error. */
    default void failed(Throwable cause) {}

    /** Ends the connection; then call {@link TargetQueue#onClosed}. */
    void close();
}
