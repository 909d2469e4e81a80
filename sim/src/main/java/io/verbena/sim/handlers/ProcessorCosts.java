package io.verbena.sim.handlers;

/**
 * Measured costs on a machine, in nanoseconds.
 *
 * @param eventNs an event from its signal to the end of its handler, whose memory is in the cache of this processor
 * @param workNs additional work of the handler
 * @param signalNs additional cost of an event signalled by another processor: both access the address, the chain of
 *     addresses and the record at the same time
 * @param lineNs fetching a cache line that another processor has written
 * @param lines number of cache lines that an event uses and that follow it from processor to processor
 */
public record ProcessorCosts(double eventNs, double workNs, double signalNs, double lineNs, int lines) {

    /** Checks that time advances. */
    public ProcessorCosts {
        if (!(eventNs + workNs > 0) || signalNs < 0 || lineNs < 0 || lines < 0) {
            throw new IllegalArgumentException("eventNs must be more than 0, and no cost may be negative");
        }
    }

    /** Cost of an event, local or from another processor. */
    double costNs(boolean moved) {
        return eventNs + workNs + (moved ? signalNs + lines * lineNs : 0);
    }
}
