package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleReaderTest {

    @Test
    void line_withTimeConditionsAndEffects_read() {
        ScriptEvent event = RuleReader.parse("at 2.5s: path sport%8==3 from==a loss 1/1000 delay 1.5ms jitter 20us");
        assertEquals(2_500_000_000L, event.afterNs());
        Rule rule = assertInstanceOf(ScriptEvent.Put.class, event.change()).rule();
        assertEquals("sport%8==3 from==a", rule.where());
        assertEquals("sport%8==3 from==a loss 1/1000 delay 1.5ms jitter 20us", rule.text());
        assertEquals(0.001, rule.effects().chances().loss());
        assertEquals(
                new Effects.Delay(1_500_000, 20_000, 0, 1_000_000),
                rule.effects().delay());
        assertEquals("at 2.500 s: " + rule.text(), event.toString());
    }

    @Test
    void clear_read() {
        assertEquals(new ScriptEvent.ClearAll(), RuleReader.parse("clear").change());
        assertEquals(
                new ScriptEvent.Clear("sport==3"),
                RuleReader.parse("at 1s: clear path sport==3").change());
    }

    @Test
    void script_withCommentsAndAnError_namesTheLine() {
        assertEquals(1, RuleReader.script(List.of("# paths", "", "  loss 1%")).size());
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> RuleReader.script(List.of("# paths", "lose 1%")));
        assertTrue(String.valueOf(e.getMessage()).startsWith("line 2: 'lose'"), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    loss                  | has no value after 'loss'
                    loss 101%             | 0% to 100%
                    loss 1                | 0% to 100%
                    loss 1/0              | 0% to 100%
                    loss -1%              | 0% to 100%
                    loss NaN%             | 0% to 100%
                    delay 5               | a time such as
                    delay 9999999s        | a time such as
                    by 5ms loss 1%        | is without 'reorder'
                    sport==3              | does nothing
                    ''                    | does nothing
                    at 2s loss 1%         | no colon
                    at 2: loss 1%         | a time such as
                    sport==x loss 1%      | must be a UDP or TCP port
                    sport==9-3 loss 1%    | must be a UDP or TCP port
                    sport==-3 loss 1%     | must be a UDP or TCP port
                    sport==1, loss 1%     | must be a UDP or TCP port
                    sport%0==1 loss 1%    | has no remainder
                    opcode%8==1 loss 1%   | has no remainder
                    opcode==RC_X loss 1%  | an opcode of InfiniBand
                    from==c loss 1%       | a or b
                    ttl==3 loss 1%        | which packets do not have
                    sport==3=4 loss 1%    | must be a UDP or TCP port
                    loss 1% sport==3      | conditions come first
                    lose 1%               | is not an effect
                    loss 1% loss 2%       | has the effect 'loss' twice
                    clear loss 1%         | must end after the conditions
                    """)
    void badLine_rejectedWithASentence(String line, String part) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> RuleReader.parse(line));
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }
}
