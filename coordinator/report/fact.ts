/** A line break in the text sets its parts apart; there are no other control characters. */
export type Fact = [label: string, text: string];
