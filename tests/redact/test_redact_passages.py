# ruff: noqa: E501 (a passage stands on one line)
"""Kitchen talk with a credential in it, and kitchen talk with harmless numbers. All people and secrets are invented."""

from __future__ import annotations

import pytest

from junod.redact.credentials import Masked, mask, mask_all

LEAKY: list[tuple[str, list[str], list[str]]] = [
    # (passage, what must vanish, what must stay)
    ("The back door is one nine eight eight star now.", ["one nine eight eight"], []),
    ("Just punch in forty-two, eighteen, and turn the handle.", ["forty-two", "eighteen"], []),
    ("My Disney login is pumpkinspice all lower case then oh seven.", ["pumpkinspice", "oh seven"], []),
    ("PIN's double oh seven three. We're out of oat milk.", ["double oh seven", "seven three"], ["oat milk"]),
    ("The safe code is seven, twenty-one, thirty-six.", ["twenty-one", "thirty-six"], []),
    ("Try the password again. Blue elephant ninety nine. No, with a capital B.", ["elephant", "ninety nine"], []),
    ("The guest network is called Casa Verde and the key is tomatosoup22.", ["tomatosoup"], []),
    ("It's asking for my first pet. Biscuit. And the city I was born in. Lyon.", ["Biscuit"], []),
    ("My mother's maiden name is Featherstone.", ["Featherstone"], []),
    ("Can you unlock my phone? It's three six nine two five eight.", ["three six nine"], []),
    (
        "The recovery phrase is apple, river, candle, mountain, zebra, piano, velvet, orbit, tunnel, crisp, ladder, moon.",
        ["apple", "candle", "moon", "zebra"],
        [],
    ),
    (
        "Your seed words are witch collapse practice feed shame open despair creek road again ice least.",
        ["witch", "collapse", "ice least"],
        [],
    ),
    ("National insurance number is Q Q one two three four five six C.", ["one two three four", "Q Q"], []),
    ("NI number QQ123456C, write that on the form.", ["QQ123456C"], ["form"]),
    ("Card ends in expiry oh five twenty-seven, CVV is nine one nine.", ["nine one nine"], []),
    ("My driver's licence is MORGA 657054 SM9IJ.", ["657054"], []),
    (
        "Account number twelve thirty-four fifty-six seventy-eight, sort code oh nine, oh one, twenty-six.",
        ["thirty-four", "fifty-six", "oh one"],
        [],
    ),
    ("Your Amazon code is 482913. Don't share it.", ["482913"], []),
    ("Google says G 5 5 1 2 0 9 is my code.", ["5 5 1 2 0 9"], []),
    ("The gym locker is set to 0 4 1 7.", ["0 4 1 7"], []),
    ("The PIN is one two three four.", ["one two", "three four"], []),
    ("The alarm code is 2-4-6-8.", ["2-4", "6-8"], []),
    ("Say the code word, then one, two, three, four, go!", [], ["one, two, three, four"]),
    ("The alarm code changes at zero nine ten.", [], ["zero nine ten"]),
    ("The key safe is zero one ten, and wake me at oh six thirty.", ["zero one ten"], ["oh six thirty"]),
    (
        "the bike lock is four one seven three and the shed key is on the hook",
        ["four one seven three"],
        ["shed key is on the hook"],
    ),
    ("Alarm's changed. Nineteen sixty-six, like the World Cup. Buy eggs.", ["nineteen sixty-six"], ["eggs"]),
    ("Door code: 4-4-8-1-hash. Dentist is Tuesday at 3:15.", ["4-4-8-1"], ["dentist", "tuesday", "3:15"]),
    ("If the alarm goes off the safe word is rhubarb.", ["rhubarb"], []),
    ("So the telephone banking password, they want the second and fifth letter. It's Wimbledon.", ["wimbledon"], []),
    (
        "Four five three two, one one one one, two two two two, three three three three.",
        ["one one one one", "three three three"],
        [],
    ),
    ("the number on the card is 4111 1111 1111 1111 and it runs out march twenty nine", ["4111", "1111"], []),
    ("It's 5555-4444-3333-1111.", ["4444"], []),
    ("Passport is X 1 2 3 4 5 6 7 8, expires in June.", ["1 2 3 4 5 6 7 8"], []),
    ("Aadhaar is 1234 5678 9012.", ["5678"], []),
    ("wifi: SunnyMeadow_2020!", ["SunnyMeadow", "2020"], []),
    ("The wifi password is marmalade seven, capital M, and we need more bread.", ["marmalade", "seven"], ["bread"]),
    (
        "The password for the laptop is correct horse battery staple. Remind me to ring Gran on Sunday.",
        ["correct horse", "staple"],
        ["Gran", "Sunday"],
    ),
    ("To get in, it's eight, then nine, then four, then two, then the green button.", ["eight, then nine"], []),
    (
        "They gave us a new fob and a code, triple seven five. Bins go out Thursday.",
        ["triple seven five"],
        ["Bins", "Thursday"],
    ),
    ("I set the parental PIN to 2 5 8 0, don't tell Milo.", ["2 5 8 0"], []),
    ("The dog walker needs the key box, that's B four seven one.", ["four seven one"], []),
    ("Use my Tesco login, it's my email and Strawberry77.", ["Strawberry77"], []),
    ("The Wi-Fi at the cottage is Heron dash lake dash three one.", ["heron", "three one"], []),
    ("Her social is 123 45 6789.", ["6789", "123 45"], []),
    ("What's the code for the gate? Um, twenty twenty-two. Twenty twenty-two? Yeah.", ["twenty twenty-two"], []),
    ("Alpha bravo seven two nine, that's the pass for the intranet.", ["seven two nine"], []),
    ("The burglar alarm is your birth year, nineteen eighty-two.", ["nineteen eighty-two"], []),
    ("Okay the password is, ready, S-u-n-f-l-o-w-e-r, four two.", ["S-u-n-f", "four two"], []),
    ("Sky PIN, what's the Sky PIN? One two three four. Seriously?", ["one two three four"], []),
    ("DE89 3704 0044 0532 0130 00 is the landlord's IBAN for the deposit.", ["3704", "0532"], []),
    ("Transfer it to GB29 NWBK 6016 1331 9268 19.", ["NWBK", "6016", "9268"], []),
    ("The Ring doorbell account password, it's lemonade, with a zero for the o.", ["lemonade"], []),
    ("I reset Grandpa's iPad. New passcode is zero zero one nine four four.", ["zero zero one nine"], []),
    ("It texted me. Seven hundred and twelve, four oh nine.", ["seven hundred and twelve", "four oh nine"], []),
    ("The code is two thousand and nineteen.", ["two thousand and nineteen"], []),
    ("PIN is fifty-one hundred.", ["fifty-one hundred"], []),
    ("My pin code for the bank is my mum's birthday, oh three one one.", ["oh three one one"], []),
    ("Router sticker says key 7f3a9c21bd.", ["7f3a9c21bd"], []),
    ("password hunter2", ["hunter2"], []),
    ("Her username is lucy and her password is, uh, butterfly. Lowercase. Butterfly.", ["butterfly"], []),
    ("My Apple ID is broken, no, it's Zanzibar with a three instead of the e.", ["Zanzibar"], []),
    ("the code for the cat flap app, one moment, ok it's seventy-one ninety-three", ["seventy-one ninety-three"], []),
    ("I N 4 4 7 1 9 0 is the visa reference for the passport office", ["4 4 7 1 9 0"], []),
    ("Memorable place is Whitby.", ["Whitby"], []),
    ("Log into Ocado, password's turnip tops, all one word.", ["turnip"], []),
    (
        "Did you get the parcel? I did, they wanted the pickup code, eight three two seven. Lovely. We need to bring the recycling down before Friday.",
        ["eight three two seven"],
        ["recycling"],
    ),
    (
        "Ollie can't remember his school laptop thing. It's his name and then twenty fourteen. Ollie twenty fourteen. All lower case.",
        ["twenty fourteen"],
        [],
    ),
    (
        "When you go to the cabin, the lock on the chain is three, three, one, nine, and bring firewood.",
        ["three, three, one, nine"],
        ["firewood"],
    ),
    ("So you turn it to eighteen, then to four, then to thirty-one, and it pops.", ["eighteen", "thirty-one"], []),
    (
        "It's the cleaner's first day, she'll need the fob and the number for the panel, six oh six two. Also buy bleach.",
        ["six oh six two"],
        ["bleach"],
    ),
    (
        "Mum's bank called, no it was the bank, they asked for her telephone PIN, she said five five nine one, I nearly died.",
        ["five five nine one"],
        [],
    ),
    (
        "Sort code's four oh, forty-seven, eighty-four and the number's one one two two three three four four.",
        ["forty-seven", "eighty-four", "one one two two"],
        [],
    ),
    (
        "Your NHS number is nine four three, four seven six, five nine one nine.",
        ["four seven six", "five nine one nine"],
        [],
    ),
    (
        "Zak, what's your Roblox? Zakattack underscore nine nine, and the password is same as always, cheesepuff.",
        ["cheesepuff"],
        [],
    ),
    ("It says answer your security question. Name of your first school. Saint Brendan's. Accepted.", ["Brendan"], []),
    ("I wrote the WiFi on the board for them. Blueberry, capital B, dollar, four two.", ["Blueberry", "four two"], []),
    (
        "Amex again. Three seven eight two, eight two two four six three, one oh oh oh five. Got it. Security? Four digits on the front, one two oh four.",
        ["eight two two four", "one oh oh oh five", "one two oh four"],
        [],
    ),
    (
        "My passport, hang on. Five one three, seven seven two, nine oh eight. British. Expires two thousand and thirty-one.",
        ["seven seven two", "nine oh eight"],
        [],
    ),
    (
        "The code came. Forty-four, ninety-one, oh three. Too late, it timed out. Okay, another. Twenty-two, sixty, fifteen.",
        ["ninety-one", "oh three", "sixty, fifteen"],
        [],
    ),
    (
        "Tell Luis the alarm's off at the panel with seven eight seven eight, then green. He's here to fix the boiler at two.",
        ["seven eight seven eight"],
        ["boiler", "at two"],
    ),
    ("Put my ski pass pin in, it's 9 9 0 2.", ["9 9 0 2"], []),
    (
        "License plate no, licence number, it's D M seven four nine, double two one.",
        ["seven four nine", "double two one"],
        [],
    ),
    (
        "The key's in the lockbox by the gas meter. Code's the house number twice, twenty-two twenty-two.",
        ["twenty-two twenty-two"],
        ["lockbox"],
    ),
    (
        "I told her the wifi. You told her? It's only the guest one, guest underscore hello.",
        ["guest underscore hello"],
        [],
    ),
    (
        "Say the magic word to the nursery when you collect her, it's pineapple, they won't let you in otherwise.",
        ["pineapple"],
        [],
    ),
    (
        "The nursery collection password is hedgehog, remember, and she needs wellies on Thursday.",
        ["hedgehog"],
        ["wellies", "Thursday"],
    ),
    (
        "He's locked out of his phone again. One four seven, two five eight, three six nine? No. Try zero eight five two.",
        ["one four seven", "zero eight five two"],
        [],
    ),
    (
        "So the new buzzer. You press twelve and then bell, then it wants nine nine four seven.",
        ["nine nine four seven"],
        [],
    ),
    ("We've a new gate. 5 5 1 8 hash, for the delivery men. And milk, we've none.", ["5 5 1 8"], ["milk"]),
    ("Type it. Capital T, h, e, o, one two. Theo one two.", ["Theo one two", "h, e, o"], []),
    (
        "My PayPal is sat open. What's the pass? Rosebud, all small, then the year we met, oh nine.",
        ["Rosebud", "oh nine"],
        [],
    ),
    (
        "IBAN N L nine one A B N A oh four one seven one six four three oh oh.",
        ["N L nine one", "oh four one seven"],
        [],
    ),
    ("IFSC is HDFC0001234 and account 50100234567891.", ["HDFC0001234", "50100234567891"], []),
    ("Is it still zero four zero nine for the shed? Zero four zero nine, yes.", ["zero four zero nine"], []),
    ("The ticket machine wants my PIN. Seven seven eight eight. Don't look.", ["seven seven eight eight"], []),
    (
        "Read out the long one on the front. Forty-nine seventeen, sixty-two oh three, eleven eighteen, ninety-nine oh five.",
        ["sixty-two oh three", "ninety-nine oh five"],
        [],
    ),
    ("And the little three at the back. Oh one four. Thanks love, tickets booked.", ["oh one four"], []),
    ("Your one time password is 7 7 3 9 1 4 and is valid for ten minutes.", ["7 7 3 9 1 4"], []),
    ("Authenticator says two eight nine, five five oh. Quick, it's changing.", ["two eight nine", "five five oh"], []),
    (
        "Grandad's safe. I remember: left four times to sixty-one, right to nine, left to twenty-seven.",
        ["sixty-one", "twenty-seven"],
        [],
    ),
    ("The password's Manchester but with a three for the e. Right. And call Nan back.", ["Manchester"], ["Nan"]),
    ("It won't connect. What do I put? Under network key? Fox trot eight eight delta, no spaces.", ["eight eight"], []),
    ("Wi-Fi key, it's on the back of the box: K7P2-99XL-44QD. Type that.", ["K7P2", "99XL", "44QD"], []),
    (
        "Seed phrase, write it down: otter, lamp, brick, sugar, window, dance, north, cabin, silver, throat, prize, echo.",
        ["otter", "brick", "throat"],
        [],
    ),
    ("The pass word for the printer is lavender forty.", ["lavender", "forty"], []),
    ("The why fi code is sunflower nine nine.", ["sunflower", "nine nine"], []),
    ("Front gate, four to seven one, then pound.", ["four to seven one"], []),
    (
        "You know the drawer with the lock? One one one nine. Put the passports in there.",
        ["one one one nine"],
        ["passports"],
    ),
    ("Nina's new number for the bank app is six six oh four one two, she told me in case.", ["six six oh four"], []),
    ("It's asking what street I grew up on. Larkspur. Larkspur Lane.", ["Larkspur"], []),
    ("Tap the card, no, insert. Four digits. Nine three oh two. Approved.", ["nine three oh two"], []),
    (
        "Can you pay the window guy from my phone? Unlock is the big L pattern, and the bank PIN five oh five eight.",
        ["five oh five eight"],
        [],
    ),
    ("Debit card: 5 2 1 8 4 4 0 1 9 9 2 0 7 7 3 6, valid thru 11 27, security 8 0 3.", ["5 2 1 8", "8 0 3"], []),
    ("The electric company wants the last four of my social. Seven one four four.", ["seven one four four"], []),
    ("Okay, security code on the back is nought four two.", ["nought four two"], []),
    (
        "Tell him the combination, it's thirty, six, twenty-four. And the mower needs petrol.",
        ["thirty, six", "twenty-four"],
        ["petrol"],
    ),
    ("Her password? Bella. Bella with two zeros. Bella zero zero.", ["bella"], []),
    ("Password is capital Q, w, e, r, t, y, one two three.", ["w, e, r", "one two three"], []),
    ("He changed the Spotify password to dragonfruit and didn't tell anyone.", ["dragonfruit"], ["didn't tell"]),
    ("I set the wifi to something easy, chocolate with a zero.", ["chocolate"], []),
    (
        "The Airbnb guy texted, door code's last four digits of my phone, five one four two, and checkout is eleven.",
        ["five one four two"],
        ["checkout is eleven"],
    ),
    ("Enter your memorable date. Oh seven oh eight ninety-one.", ["oh seven oh eight", "ninety-one"], []),
    ("What's his NI? J R, forty-two, sixteen, ninety, B.", ["forty-two", "sixteen"], []),
    ("My tax file number is eight six five, four one four, oh eight eight.", ["four one four"], []),
    ("Medicare's 2953 45678 1.", ["2953", "45678"], []),
    ("Green card number A zero nine eight, seven six five, four three two.", ["seven six five", "four three two"], []),
    ("The alarm company asks for the safe word. Hippo. Tell them hippo and they cancel.", ["hippo"], ["cancel"]),
    (
        "Mum, what's the tablet code? Your birthday. Twelve oh four. It's not. Twelve oh five then.",
        ["twelve oh four", "twelve oh five"],
        [],
    ),
    (
        "It's quarter past, I need the Zoom passcode, three eight two, nine one oh.",
        ["three eight two", "nine one oh"],
        [],
    ),
    ("Voicemail pin's 0000, don't laugh.", ["0000"], []),
    (
        "Give the sitter the alarm: six-one-six-one, off, and bedtime is eight.",
        ["six-one-six-one"],
        ["bedtime is eight"],
    ),
    ("code for the bin store is c four four two x and we need bin bags", ["four four two"], ["bin bags"]),
    (
        "My account's at Lloyds, three one nine two six six oh eight, and the sort code is thirty, ninety-six, thirty-four.",
        ["three one nine two", "ninety-six, thirty-four"],
        [],
    ),
    ("The safe opens with our wedding day. Fourteen, oh six, oh eight.", ["oh six, oh eight"], []),
    ("Scan says enter the six digit code. Nine nine one. Two two four.", ["nine nine one", "two two four"], []),
    (
        "She reads it like this: 4 9 2 9, pause, 1 1 8 6, pause, 0 0 7 3, pause, 5 5 1 8.",
        ["4 9 2 9", "1 1 8 6", "5 5 1 8"],
        [],
    ),
    ("Wifi name is Fritz Box seven five, password twelve digits: 4471 9920 3318.", ["4471", "3318"], []),
    (
        "Put this in the computer for me, Ryan, the login is maple leaf and the second one is toffee apple sixteen.",
        ["toffee", "maple leaf"],
        [],
    ),
    (
        "Bank says my customer number, ten oh four twenty-two eighteen, and the PIN, ninety-one seventeen.",
        ["ninety-one seventeen"],
        [],
    ),
    ("It's the same code as the office, nineteen eighteen, C, for the loo.", ["nineteen eighteen"], []),
    ("Nana's door, ring twice, then code B as in Bertie, eight, eight, one.", ["eight, eight, one"], []),
    ("The Netflix PIN for kids is four fours.", ["four fours"], []),
]

HARMLESS = [
    "The plumber's number is 0161 496 0321, call him Monday.",
    "Ring Dave the electrician on oh seven seven oh oh nine hundred one two three.",
    "Call the vet at five five five, oh one four two.",
    "Preheat to four twenty-five for twenty minutes.",
    "The oven's at one eighty.",
    "It costs nineteen ninety-nine.",
    "We owe him four hundred and fifty pounds.",
    "The train's at seven forty-two, platform nine.",
    "Flight BA two eight five leaves at ten fifteen.",
    "We're at 1482 Maple Street.",
    "She was born in nineteen eighty-four.",
    "Final score three two.",
    "Bus number seventy-three, then the one nine two.",
    "I need two by four planks, six of them.",
    "The rolling pin is in the drawer.",
    "The alarm's set for six thirty.",
    "Set the alarm for 6 45.",
    "Password is wrong again.",
    "The wifi is down.",
    "The wifi's really slow today, call the provider.",
    "The wifi password is on the fridge.",
    "I forgot my password.",
    "She's got a new card for her birthday on the fifth.",
    "The gate needs painting, buy two litres of green.",
    "Shopping list:\n- milk\n- eggs\n- 2 x 400 g tomatoes",
    "The PIN came in the post.",
    "The garage is open until five thirty.",
    "Take the car to the garage at nine fifteen on Tuesday.",
    "Dial nine one one if it happens again.",
    "My appointment is at two forty-five in room three oh four.",
    "In 2019 we went to Spain.",
    "The dress code is black tie.",
    "Our zip code is nine oh two one oh.",
    "The postcode is SW1A 1AA.",
    "Ten, nine, eight, seven, six, five, four, three, two, one, happy new year!",
    "One two three four five, once I caught a fish alive.",
    "Buy 12 eggs, 2 pints of milk and 500 g of flour.",
    "The bank closes at half four.",
    "It's a thirty-two inch by sixty frame.",
    "The internet is coming on Thursday between eight and one.",
    "He ran it in two fifty-eight twelve.",
    "The meter reading is 04821.",
    "Model number is WX 450.",
    "Blood pressure was one thirty over eighty-five.",
    "Turn left at the lights, then right at the church.",
    "What's on Netflix? It's that thing with the horses.",
    "The Netflix show is called Beef.",
    "Log in to the school portal and pay for the trip by Friday.",
    "The account's overdrawn, move some money by Friday.",
    "Passport renewal is due by the twelfth of June.",
    "Visa appointment at the embassy on the 14th at 9:30.",
    "Recipe: two cups flour, one egg, 350 degrees.",
    "We got five two five for the house, five twenty-five thousand.",
    "Lotto numbers are four, eighteen, twenty-two, thirty-one, thirty-nine.",
    "The radio is on ninety-eight point six.",
    "The lift is out until Monday.",
    "Let yourself in, the spare key's under the pot.",
    "Call me at 416-555-0142.",
    "It's on channel four oh two.",
    "Maria's room is number 212.",
    "Mia's class is in room two one four and the parents' evening is at six forty-five.",
    "The parcel tracking said between nine fifteen and ten fifteen.",
    "Two four six eight, who do we appreciate?",
    "His shirt size is sixteen and a half, thirty-four sleeve.",
    "The washing machine shows error E eighteen.",
    "Order number is 30291 for the curry.",
    "Your table's booked for seven thirty under Hanley.",
    "We need four AA batteries and two nine-volts.",
    "Take exit thirty-four off the M six.",
    "Serve it at gas mark six, one ninety fan.",
    "Hey, it's at five oh five, not five fifteen.",
    "The gate opens at seven thirty, kick-off at eight.",
    "The garage quoted six hundred and forty for the brakes.",
    "The door's two metres ten by ninety.",
    "My card got declined. Pay the milkman twelve pounds forty.",
    "Put the card in the post by the fifteenth.",
    "Code's broken again, the build's failing, I'm working late.",
    "The kids get in at three twenty-five.",
    "Let the dog out at ten thirty.",
    "Grandma turns eighty-one on the twenty-third.",
    "The alarm went off at four fifteen this morning.",
    "Change the alarm to seven ten tomorrow.",
    "The safe minimum is sixty-five degrees.",
    "Please enter through the side, it's number forty-two.",
    "The bank called about the mortgage, ring them on 0345 300 0000 by Friday.",
    "Locksmith's number, oh eight hundred, one two three, four five six seven.",
    "The lift engineer comes on Thursday at eleven fifteen.",
    "Password reset emails keep coming, ignore them.",
    "Is the wifi on? It's on. It's the telly then.",
    "What's the wifi like there? It's terrible.",
    "Do you know the password? No, ask Dad, he changed it.",
    "I can't log in. It's asking me to update it.",
    "What's the password? It's on the sticker under the router.",
    "The internet man is coming tomorrow at ten. It's the blue van.",
    "Netflix is going up to twelve ninety-nine a month.",
    "It's one o'clock, two to four is nap time.",
    "Count it. Five, ten, fifteen, twenty, twenty-five.",
    "He scored thirty, forty-one and sixty-two in three innings.",
    "The 7:42 to Leeds, then the 8:15.",
    "We're in seats fourteen and fifteen, row twenty-two.",
    "The recipe's on page one hundred and twelve.",
    "Two hundred grams of butter, three eggs, one eighty for forty minutes.",
    "Boiler pressure is one point four.",
    "PIN pads are being replaced at the shop.",
    "My licence has to be renewed by the thirtieth of June.",
    "The passport photos cost eleven pounds.",
    "Text Anna that we'll be there at twelve thirty.",
    "Your verification is done, the bank said come in on the fourth at two thirty.",
    "Two to four is nap time and the gate opens at six.",
    "It's for one two hour session.",
    "He's one for four tonight.",
    "The code review is at two thirty.",
    "We got pins for the noticeboard, fifty of them.",
    "Her new number is 07700 900 412, save it under Bea.",
    "Pin it on the board, fourteen thirty on Friday.",
    "The bank holiday's on the twenty-seventh.",
    "Card for Nan, she's ninety-two on the eighth.",
    "Pick the kids up from the gate at three fifteen.",
    "What's the password for the quiz? I'll ask.",
    "The vault at the museum, room eleven, opens nine thirty.",
    "Three two one, go!",
    "Garage door guy, two hundred and ten, Thursday at eleven.",
    "He's thirty-eight five, give him two point five mil.",
    "The unlock fee was forty-five ninety-nine.",
    "Enter the race by Friday, it's twenty-five pounds.",
    "Type two diabetes, so no sugar, dinner at six forty-five.",
    "Press the trousers for Saturday, wedding's at one thirty.",
    "Use code SAVE20 at the checkout.",
    "Bus pass costs sixty-two fifty a month.",
    "The hash browns take eighteen minutes at two twenty.",
    "Is the Visa thing on the fourteenth at nine forty?",
    "The internet's twenty-nine ninety-nine a month.",
    "Reset the boiler, press and hold for ten seconds, it's at one point two bar.",
    "His social worker comes at ten fifteen on the ninth.",
    "It's five six, maybe seven people.",
    "Swimming is lane four, six fifteen to seven.",
    "The account meeting's at one forty-five in room two oh two.",
    "Alarm, seven ten. Bus, seven fifty-five. Bell, eight twenty.",
    "Wifi engineer is coming on Thursday at nine.",
    "The wifi's going off on Friday for maintenance.",
    "The wifi router is in the hall cupboard.",
    "The wifi password is on the sticker, call Vodafone on Monday about the bill.",
    "Reset the router password by Friday.",
    "Remember to change the Netflix password.",
    "Ask Lena for the wifi password when she's back. It's her turn to cook tonight.",
    "Do you have the Netflix login? It's for the kids. Dinner's at six.",
    "What's the wifi called? It's called BT Hub.",
    "We need a new router, the wifi's terrible upstairs. It's the walls. Order one by Friday.",
    "I forgot the password. Let's go, swimming is at five. It's raining.",
    "The password expired. I'll do it tomorrow. Milk, eggs, bread.",
    "Is that the safe word? Ha ha. Anyway, pick up the cake on Saturday.",
    "My email is broken. It's been two days. Call the internet people on Monday.",
    "The laptop goes back to school on Monday. It's in the blue bag.",
    "Get an Amazon return to the post office by Friday. It's the red jumper.",
    "The Xbox is broken, take it to the shop on Saturday. It's under warranty.",
    "The tablet charger is missing. It's the white one. Buy a new one.",
    "Sky engineer between eight and twelve on the fourth. It's a man called Derek.",
    "Log in to the gas website and send the meter reading by Sunday night. It's zero four eight two one.",
    "Prime delivery tomorrow, it's the dog food, someone needs to be in.",
    "The Disney thing is on the third, capital city tour on the fourth.",
    "Put it on the app, it's the dentist, Tuesday at nine.",
    "Google says it's closed on Monday. It's open Tuesday at ten.",
    "Shopping list:\n- AAA batteries\n- 60 W bulbs\n- 13 gallon trash bags\n- 2 litres of milk",
    "Babysitter Hannah: 416-555-0142",
    "Furnace filter size 16 x 25 x 4",
    "Ortho appointment for Maya on Thursday at 3:15",
    "Mr Pringles' vet: 13145 Ventura Boulevard",
    "Dishwasher part number WD12X10327 to order",
    "Kuba wears size 116, shoes 28",
    "Zoom call with the school at 4:30 on Wednesday, mum joins by phone.",
    "New alarm battery: type CR2032",
    "Alarm company Trent Security looks after the alarm.",
    "Dad's hearing aids take size 312 batteries",
    "School absence line: 01620 555 144",
    "Gate code changed, ask Marjorie.",
    "The bike lock key is on the hook by the door, number two.",
    "Grandma's birthday is on the twenty-first, she's eighty-two.",
    "Bank appointment, Friday at ten forty, bring the passport.",
    "The pass for the pool is in the drawer. It's valid until June.",
    "Safe place for the parcel is the shed. It comes between two fifteen and four fifteen.",
    "Her first school play is on Thursday at two.",
    "Security is coming to fix the intercom, the twelfth, nine to eleven thirty.",
    "Internet bill is forty-two fifty, pay it by the third.",
    "Insurance policy number AX 4471 902 is in the folder.",
    "The locker at the gym costs two fifty.",
    "His account manager is Petra, call her on Monday.",
    "It's our wedding anniversary on the fourteenth, dinner at eight fifteen.",
    "The combination of eggs and flour, two hundred and fifty grams.",
]


@pytest.mark.parametrize(("passage", "secrets", "kept"), LEAKY)
def test_the_secret_goes_and_the_other_clauses_stay(passage: str, secrets: list[str], kept: list[str]) -> None:
    masked = mask(passage).text.lower()
    assert [secret for secret in secrets if secret.lower() in masked] == []
    assert [words for words in kept if words.lower() not in masked] == []


@pytest.mark.parametrize("passage", HARMLESS)
def test_harmless_numbers_and_talk_about_passwords_stay(passage: str) -> None:
    assert mask(passage) == Masked(passage)


@pytest.mark.parametrize(
    ("passage", "masked"),
    [
        (
            "It's a Visa, four one one one, one one one one, one one one one, one one one one.",
            "It's a Visa, [card number].",
        ),
        ("My card is 4111 1111 1111 1111, thanks.", "My card is [card number], thanks."),
        (
            "The wifi password is marmalade seven, capital M, and we need bread.",
            "The wifi password is [password], and we need bread.",
        ),
        ("The code for the street door is double four one seven.", "The code for the street door is [code]."),
    ],
)
def test_cards_wifi_passwords_and_door_codes_read_aloud_are_masked(passage: str, masked: str) -> None:
    """Case m104: words as well as digits."""
    assert mask(passage).text == masked


@pytest.mark.parametrize(
    ("passage", "kind"),
    [
        ("The CVV is nine one nine.", "security code"),
        ("My IBAN is DE89 3704 0044 0532 0130 00.", "account number"),
        ("Her social is 123-45-6789.", "id number"),
        ("Your verification code is 819-446.", "one-time code"),
        ("The gate code is 4471.", "code"),
        ("The password is Petunia.", "password"),
        ("5500 0000 0000 0004", "card number"),
    ],
)
def test_the_mask_names_the_kind(passage: str, kind: str) -> None:
    masked = mask(passage)
    assert masked.found == (kind,)
    assert f"[{kind}]" in masked.text


def test_the_cue_may_stand_in_an_earlier_passage() -> None:
    assert mask("It's twenty-three sixteen.").text == "It's twenty-three sixteen."
    assert mask("It's twenty-three sixteen.", ["What's the alarm code?"]).text == "It's [code]."


def test_a_secret_of_an_earlier_passage_is_known_in_every_rendering() -> None:
    context = ["The key safe is 7714."]
    assert mask("Say again? Double seven one four.", context).text == "Say again? [code]."
    assert mask("Bluetractor, one word.", ["What's our Netflix? It's bluetractor19."]).text == "[password]."


def test_a_context_is_masked_as_one_conversation() -> None:
    texts = ["Which card?", "The Visa. 4929 1186", "0073 5518. We need milk."]
    assert mask_all(texts) == ["Which card?", "The Visa. [card number]", "[card number]. We need milk."]


def test_another_rendering_of_a_masked_value_is_masked_too() -> None:
    masked = mask("The PIN is 1974. Right, nineteen seventy-four. See you at six.").text
    assert masked == "The PIN is [code]. Right, [code]. See you at six."


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "Shopping list:\n- milk\n- 2 x 400 g tomatoes", "- [ ] call Dave\n- ~~eggs~~"]
)
def test_markdown_without_credentials_is_unchanged(text: str) -> None:
    assert mask(text) == Masked(text)


def test_a_memory_with_a_credential_keeps_its_other_items() -> None:
    memory = "To do:\n- gate code 4471 for the cleaner\n- wifi password: marmalade7\n- plumber 0161 496 0321"
    assert mask(memory).text == (
        "To do:\n- gate code [code] for the cleaner\n- wifi password: [password]\n- plumber 0161 496 0321"
    )
