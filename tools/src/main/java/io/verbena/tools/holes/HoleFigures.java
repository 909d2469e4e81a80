package io.verbena.tools.holes;

import io.verbena.tools.text.JsonObject;

/** The results of {@code verbena holes} for a program. */
final class HoleFigures {

    private HoleFigures() {}

    static JsonObject json(HoleLife.Step step) {
        return new JsonObject()
                .put("arrived", step.arrived())
                .put("title", step.title())
                .put("stream", stream(step))
                .put("holes", String.join("; ", step.counts()))
                .put("delivered", step.delivered());
    }

    /** The stream with a character for each place: {@code =} delivered, {@code +} in its final buffer, {@code .} missing. */
    static String stream(HoleLife.Step step) {
        StringBuilder line = new StringBuilder();
        for (HoleLife.Place place : step.places()) {
            line.append(
                    switch (place) {
                        case IN_ORDER -> '=';
                        case EARLY -> '+';
                        case MISSING -> '.';
                    });
        }
        return line.toString();
    }

    /** Adds the figures of a run. */
    static void fill(JsonObject figures, HoleResult r) {
        figures.put("streamBytes", r.traffic().streamBytes())
                .put("segments", r.traffic().segments())
                .put("lost", r.traffic().lost())
                .put("refused", r.kept().refused())
                .put("virtualNs", r.traffic().durationNs())
                .put("holes", r.figures().holes())
                .put("mostHoles", r.figures().mostHoles())
                .put("afterHolesBytes", r.inOrder().afterHolesBytes())
                .put("takenAtOnce", r.takenAtOnce())
                .put("guessedBytes", r.figures().guessedBytes())
                .put("placedEarlyBytes", r.figures().placedBytes())
                .put("bufferedBytes", r.kept().mostKeptBytes())
                .put("copiesPerByte", r.copiesPerByte())
                .put("tableBytes", r.figures().mostTableBytes())
                .put("scrapBytes", r.figures().mostScrapBytes())
                .put(
                        "waiting",
                        new JsonObject()
                                .put("bufferedBytes", r.inOrder().mostWaitingBytes())
                                .put("copiesPerByte", r.waitingCopiesPerByte()))
                .putObjects("closed", r.closed().stream().map(HoleFigures::json).toList());
    }

    private static JsonObject json(ClosedHole hole) {
        return new JsonObject()
                .put("atNs", hole.atNs())
                .put("waitNs", hole.waitNs())
                .put("from", hole.gap().from())
                .put("missingBytes", hole.gap().missingBytes())
                .put("placedBytes", hole.placedBytes())
                .put("sends", hole.sends())
                .put("requests", hole.requests());
    }
}
