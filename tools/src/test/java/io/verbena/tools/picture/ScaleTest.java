package io.verbena.tools.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleTest {

    private static final Axis SIZE = Axis.logarithmic("Size", Unit.BYTES);
    private static final Axis RATE = Axis.linear("Rate", Unit.BYTES_PER_SECOND);
    private static final Axis TIME = Axis.logarithmic("Time", Unit.NANOSECONDS);

    @Test
    void ticks_logarithmicBytes_arePowersOfTwoThatFit() {
        Scale scale = Scale.alongX(SIZE, 2, 8 << 20, 0, 700);
        assertEquals(List.of(4.0, 16.0, 64.0, 256.0), scale.ticks(56).subList(0, 4));
        assertEquals(List.of(32.0, 1024.0, 32768.0), scale.ticks(150).subList(0, 3));
    }

    @Test
    void ticks_linear_areRoundAndApart() {
        Scale scale = Scale.alongY(RATE, 1, 2.4e9, 240, 0);
        assertEquals(List.of(0.0, 5e8, 1e9, 1.5e9, 2e9, 2.5e9), scale.ticks(30));
    }

    @Test
    void ticks_anyRangeAndAxis_areInsideAndApart() {
        for (Axis axis : List.of(SIZE, RATE, TIME, Axis.linear("n", Unit.BYTES), Axis.linear("n", Unit.NUMBER))) {
            for (double least : new double[] {0.01, 1, 7, 64, 999, 4096, 1e6}) {
                for (double factor : new double[] {1, 1.0001, 1.5, 3, 10, 1000, 1e6}) {
                    check(Scale.alongX(axis, least, least * factor, 100, 700), 56);
                    check(Scale.alongY(axis, least, least * factor, 300, 60), 23);
                }
            }
        }
    }

    private static void check(Scale scale, double apart) {
        List<Double> ticks = scale.ticks(apart);
        assertTrue(ticks.size() >= 2, () -> scale + " has ticks " + ticks);
        for (int i = 0; i < ticks.size(); i++) {
            double px = scale.px(ticks.get(i));
            assertTrue(px >= Math.min(scale.fromPx(), scale.toPx()) - 0.01, () -> scale + " " + ticks);
            assertTrue(px <= Math.max(scale.fromPx(), scale.toPx()) + 0.01, () -> scale + " " + ticks);
            assertTrue(i == 0 || Math.abs(px - scale.px(ticks.get(i - 1))) >= apart * 0.9, () -> scale + " " + ticks);
        }
    }

    @Test
    void px_ends_areTheEnds() {
        Scale scale = new Scale(TIME, 10, 1000, 100, 300);
        assertEquals(100, scale.px(10), 1e-9);
        assertEquals(200, scale.px(100), 1e-9);
        assertEquals(300, scale.px(1000), 1e-9);
    }
}
