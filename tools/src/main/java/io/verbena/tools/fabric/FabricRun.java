package io.verbena.tools.fabric;

import io.verbena.fabric.node.Fabric;
import io.verbena.web.NetworkState;
import java.util.List;

/** A simulated fabric with something that uses it, from its seed on: two of them are equal as long as the same is done to them. */
public interface FabricRun extends AutoCloseable {

    /** The fabric. */
    Fabric fabric();

    /** What can fail, and has failed. */
    Failures failures();

    /** Lets a time pass, less if everything ends before. Returns the nanoseconds that have passed. */
    long pass(long ns);

    /** Whether nothing more will happen. */
    boolean ended();

    /** A digest of everything that has happened. */
    String trace();

    /** Figures for people. */
    List<NetworkState.Fact> facts();

    @Override
    default void close() {
        // A fabric alone has nothing to be closed.
    }
}
