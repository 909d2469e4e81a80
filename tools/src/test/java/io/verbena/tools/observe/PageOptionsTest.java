package io.verbena.tools.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PageOptionsTest {

    @Test
    void token_isThatOfTheEnvironment_elseRandom() {
        String token = "0123456789abcdef";
        assertEquals(
                token, PageOptions.loopback(0, Map.of(PageOptions.TOKEN, token)).token());
        assertNotEquals(
                PageOptions.loopback(0, Map.of()).token(),
                PageOptions.loopback(0, Map.of()).token());
    }

    @Test
    void shortToken_isRefused_withItsName() {
        IllegalArgumentException problem = assertThrows(
                IllegalArgumentException.class, () -> PageOptions.loopback(0, Map.of(PageOptions.TOKEN, "short")));
        assertTrue(String.valueOf(problem.getMessage()).startsWith("VERBENA_WEB_TOKEN is not usable: "));
    }
}
