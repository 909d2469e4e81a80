package io.verbena.sim.handlers;

/**
 * What things cost a processor, in nanoseconds; measured on a machine.
 *
 * @param eventNs an event from its signal to the end of its handler, whose memory is all in this processor's cache
 * @param workNs what the handler does besides
 * @param signalNs how much more an event costs that another processor signalled: both reach for the address, the chain of
 *     addresses and the record at once
 * @param lineNs to fetch a cache line that another processor has written
 * @param lines cache lines that an event works on and that follow it from processor to processor
 */
public record ProcessorCosts(double eventNs, double workNs, double signalNs, double lineNs, int lines) {

    /** Checks that time goes on. */
    public ProcessorCosts {
        if (!(eventNs + workNs > 0) || signalNs < 0 || lineNs < 0 || lines < 0) {
            throw new IllegalArgumentException("an event must cost something, and nothing a negative time");
        }
    }

    /** Cost of an event, local or from another processor. */
    double costNs(boolean moved) {
        return eventNs + workNs + (moved ? signalNs + lines * lineNs : 0);
    }
}
