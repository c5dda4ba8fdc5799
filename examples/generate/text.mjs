const OPENINGS = [
  "Thanks for reaching out, I have looked at your account",
  "I checked the order history and the payment log",
  "The refund was issued yesterday at 14:05",
  "Your parcel left our warehouse in Rotterdam this morning",
  "I can see two charges for the same invoice",
  "The error you describe is known since version 4.12",
  "Before we change anything, a short summary",
  'The setting you need is called "Keep drafts for 30 days"',
  "I have asked our billing team to confirm the amount",
  "Good news: the replacement is already on its way",
];
const MIDDLES = [
  "and everything up to step three looks right",
  "but the confirmation mail bounced with `550 5.1.1`",
  "so the total is €1,249.50 instead of €1,429.50",
  "which explains why the app showed an old balance",
  "and it should arrive between Tuesday and Thursday",
  "although the café's address (Rue de l'Église 7) was incomplete",
  "while the path C:\\Users\\support\\logs holds the full trace",
  "because Jürgen Müller's signature was missing",
  "and naïve retries only made the queue longer",
  "with a re\u0301sume\u0301 attached in the wrong format",
];
const CLOSINGS = [
  "Let me know if that helps.",
  "I will keep this ticket open until you confirm. 👍",
  "Is there anything else I can do for you?",
  "Here are the steps:\n\n1. Open *Settings*\n2. Choose **Billing**\n3. Press “Download”",
  "You can follow the delivery in the app 📦.",
  "Our team 👩‍💻👨🏽‍🔧 is on it.",
  "Have a nice day! ☀️",
  '```json\n{"retry": true}\n```',
];
const OTHER_SCRIPTS = [
  "您的退款已经处理完毕,预计三到五个工作日内到账。",
  "請確認您的收貨地址是否正確,謝謝!",
  "ご注文の商品は本日発送されました。追跡番号をご確認ください。",
  "환불 요청이 접수되었습니다. 잠시만 기다려 주세요.",
  "تم استلام طلبك وسنرد عليك قريبًا.",
  "आपका अनुरोध प्राप्त हो गया है।",
  "Заказ № 4711 отправлен, срок доставки — 3 дня.",
  "Việt Nam: đơn hàng của bạn đã được xác nhận.",
  "𝒮upport 𠮷野家 🏳️‍🌈 🇪🇺",
];
const THOUGHTS = [
  "The customer mentions two invoices, so I should compare both before answering.",
  "First look up the order, then the payment, then decide whether a refund is due.",
  "The log shows a timeout at 09:31:07Z, which matches the report.",
  "The tone is friendly; a short answer with the next steps is enough.",
  "Policy §3.2 allows a refund within 30 days; this is day 12.",
  "The tracking number has 22 digits, it must stay exact.",
];

/** A paragraph of about `sentences` sentences, part of them outside of Latin script. */
export function paragraph(random, sentences) {
  const parts = [];
  for (let i = 0; i < sentences; i++) {
    if (random.chance(0.16)) parts.push(random.pick(OTHER_SCRIPTS));
    else parts.push(`${random.pick(OPENINGS)}, ${random.pick(MIDDLES)}. ${random.pick(CLOSINGS)}`);
  }
  return parts.join(random.chance(0.3) ? "\n\n" : " ");
}

export function thought(random, sentences) {
  return Array.from({ length: sentences }, () => random.pick(THOUGHTS)).join(" ");
}

/**
 * Cuts text into token-sized deltas. Cuts fall between UTF-16 code units, so one in a few characters outside of the
 * basic plane arrives as two halves in two deltas, as some producers send them.
 */
export function tokens(random, text) {
  const deltas = [];
  for (const word of text.match(/\s*[\u0021-\u024f]+|\s+|[^\s\u0021-\u024f]+/g)) {
    let rest = word;
    const longest = /[^\u0000-\u024f]/.test(word) ? 3 : 11;
    while (rest.length > longest) {
      const length = random.integer(1, longest);
      deltas.push(rest.slice(0, length));
      rest = rest.slice(length);
    }
    deltas.push(rest);
  }
  return deltas;
}
