package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.NotReached;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;

/** The addresses that a name stands for, tried one after the other. The first that is reached is used from then on. */
public final class InTurn {

    private final Consumer<String> note;
    private List<InetSocketAddress> left;

    /** Connects to an address, and may do more with the connection. */
    public interface Attempt<T> {

        /**
         * Connects.
         *
         * @throws ConnectionException if the peer is not reached
         * @throws NotReached the same
         */
        T at(InetSocketAddress address) throws Exception;
    }

    /**
     * Addresses to try.
     *
     * @param note receives a sentence about each that is not reached, except the last one
     */
    public InTurn(HostPort peer, Consumer<String> note) throws Failure {
        left = peer.resolveAll();
        this.note = note;
    }

    /** The address that is used, or tried next. */
    public InetSocketAddress address() {
        return left.getFirst();
    }

    /** Whether no other address can be tried after {@link #address}. */
    public boolean last() {
        return left.size() == 1;
    }

    /**
     * The result of the first attempt that reaches its peer.
     *
     * @throws Exception of an attempt that has reached its peer, or of the last one
     */
    public <T> T reach(Attempt<T> attempt) throws Exception {
        while (!last()) {
            try {
                T result = attempt.at(address());
                left = List.of(address());
                return result;
            } catch (ConnectionException | NotReached | VerbsException e) {
                note.accept(Problems.sentence(e) + " The next address of the name is tried.");
                left = left.subList(1, left.size());
            }
        }
        return attempt.at(address());
    }
}
