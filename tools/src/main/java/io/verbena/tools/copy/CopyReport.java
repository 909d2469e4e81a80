package io.verbena.tools.copy;

import io.verbena.files.CopyFigures;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;

/** The figures of a copy, as JSON and as one line for people. */
public record CopyReport(CopyFigures copy) {

    /** Adds the figures to an object. */
    public void addTo(JsonObject figures) {
        figures.put("bytes", copy.bytes())
                .put("movedBytes", copy.parts().movedBytes())
                .put("zeroBytes", copy.parts().zeroBytes())
                .put("keptBytes", copy.parts().keptBytes())
                .put("chunksAgain", copy.chunksAgain())
                .put("reconnects", copy.reconnects())
                .put("verified", copy.verified())
                .put("durationNs", copy.durationNs())
                .put("bytesPerSecond", Figures.rate(copy.bytes(), copy.durationNs()));
    }

    /** In one line: {@code 1.0 GiB in 0.512 s, 2.10 GB/s, checksums match}. */
    public String sentence() {
        StringBuilder line = new StringBuilder(Figures.bytes(copy.bytes()) + " in " + Figures.seconds(copy.durationNs())
                + ", " + Figures.bytesPerSecond(Figures.rate(copy.bytes(), copy.durationNs())));
        if (copy.parts().keptBytes() > 0) {
            line.append(", of which ")
                    .append(Figures.bytes(copy.parts().keptBytes()))
                    .append(" were already there");
        }
        if (copy.parts().zeroBytes() > 0) {
            line.append(", of which ")
                    .append(Figures.bytes(copy.parts().zeroBytes()))
                    .append(" are zeros and were not sent");
        }
        if (copy.reconnects() > 0) {
            line.append(", ").append(Figures.count(copy.reconnects())).append(" reconnection(s)");
        }
        return line.append(copy.verified() ? ", checksums match" : ", not verified")
                .toString();
    }
}
