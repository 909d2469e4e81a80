package io.verbena.tools.messaging;

import io.verbena.tools.base.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Sizes of messages and how often each comes: {@code 8:70,500:25,12k:5}. */
public final class SizeMix {

    private record Part(int bytes, int weight) {}

    private final String text;
    private final List<Part> parts = new ArrayList<>();
    private int weights;

    /**
     * Reads one.
     *
     * @throws Failure when the text is none
     */
    public SizeMix(String text) throws Failure {
        this.text = text;
        for (String part : text.split(",")) {
            String[] both = part.strip().split(":");
            try {
                int weight = both.length > 1 ? Integer.parseInt(both[1]) : 1;
                int bytes = bytes(both[0]);
                if (both.length > 2 || bytes < 0 || weight < 1) {
                    throw new NumberFormatException(part);
                }
                parts.add(new Part(bytes, weight));
                weights += weight;
            } catch (NumberFormatException e) {
                throw new Failure("'" + part + "' is not SIZE:WEIGHT; write for example 8:70,500:25,12k:5", e);
            }
        }
    }

    private static int bytes(String size) {
        boolean kibi = size.endsWith("k");
        return Integer.parseInt(kibi ? size.substring(0, size.length() - 1) : size) * (kibi ? 1024 : 1);
    }

    /** The next size. */
    public int draw(RandomGenerator random) {
        int left = random.nextInt(weights);
        for (Part part : parts) {
            left -= part.weight();
            if (left < 0) {
                return part.bytes();
            }
        }
        throw new AssertionError("weights");
    }

    /** The largest size. */
    public int largest() {
        return parts.stream().mapToInt(Part::bytes).max().orElse(0);
    }

    @Override
    public String toString() {
        return text;
    }
}
