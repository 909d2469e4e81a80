package io.verbena.tools.perf;

import java.util.List;

/** What happens on purpose to what carries a measurement. For the thread that measures. */
public interface Disturbance {

    /**
     * One such event.
     *
     * @param text the text that the user has given
     * @param name with what it happens to, for people
     * @param fromNs time from the beginning of the measurement
     * @param toNs when it ends; {@link Long#MAX_VALUE} for never
     */
    record Cut(String text, String name, long fromNs, long toNs) {}

    /** The option that the measurement is about, such as {@code --paths 8}. */
    String option();

    /** Name of the curve. */
    String subject();

    /** All cuts, in the order of the options. */
    List<Cut> cuts();

    /** What the throughput can be while the first cut lasts, as a part of what it was before. */
    double rest();

    /** Does what is due at this time of the measurement. */
    void at(long timeNs);
}
